// Holds the OpenAPI document of a host against a validator that is not the host's own: node document.mjs URL.
import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';

const [url] = process.argv.slice(2);
const document = await (await fetch(`${url}/openapi.json`)).json();
const validator = new Validator();
const { valid, errors } = await validator.validate(document);
assert.ok(valid, JSON.stringify(errors, null, 2));
assert.equal(validator.version, '3.1');

// It would have noticed.
const broken = structuredClone(document);
delete broken.info.title;
assert.equal((await new Validator().validate(broken)).valid, false);
console.log(`ok the OpenAPI document: ${Object.keys(document.paths).length} paths, valid`);
