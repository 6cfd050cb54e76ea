"use strict";
// Shows the operations of /openapi.json. All text of the document goes in as text, never as markup.
(() => {
  const element = (tag, text, ...children) => {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    made.append(...children);
    return made;
  };

  // outline is a schema in a form that is quick to read, some levels deep.
  const outline = (spec, schema, depth = 0) => {
    if (!schema) return "any";
    if (schema.$ref) return outline(spec, spec.components.schemas[schema.$ref.split("/").pop()], depth);
    if (schema.enum) return schema.enum.join(" | ");
    const type = [schema.type].flat().filter((t) => t && t !== "null")[0];
    if (depth > 3) return type || "any";
    if (type === "array") return [outline(spec, schema.items, depth + 1)];
    if (type !== "object" || !schema.properties) return type || "any";
    const required = schema.required || [];
    return Object.fromEntries(Object.entries(schema.properties).map(([name, member]) =>
      [required.includes(name) ? name : name + "?", outline(spec, member, depth + 1)]));
  };

  const content = (spec, title, parts) => Object.entries(parts || {}).flatMap(([kind, media]) => [
    element("h4", `${title}: ${kind}`),
    element("pre", JSON.stringify(outline(spec, media.schema), null, 2)),
  ]);

  const parameters = (list) => {
    const table = element("table");
    table.append(element("tr", "", element("th", "Parameter"), element("th", "In"), element("th", "About")));
    for (const p of list) {
      table.append(element("tr", "", element("td", p.name + (p.required ? "" : "?")), element("td", p.in),
        element("td", p.description || "")));
    }
    return table;
  };

  const shown = (spec, method, path, op) => {
    const details = element("details");
    details.id = op.operationId;
    details.append(element("summary", "", element("b", method.toUpperCase()), element("code", path), element("span", op.summary)));
    if (op.description) details.append(element("p", op.description));
    if (!op.security) details.append(element("p", "It needs no key."));
    if (op.parameters) details.append(parameters(op.parameters));
    if (op.requestBody) details.append(...content(spec, "Body", op.requestBody.content));
    for (const [status, answer] of Object.entries(op.responses)) {
      if (status !== "default") details.append(...content(spec, `Answer ${status}`, answer.content));
    }
    return details;
  };

  const show = (spec) => {
    const place = document.getElementById("operations");
    place.replaceChildren();
    document.getElementById("about").textContent = spec.info.description;
    const groups = new Map();
    for (const [path, item] of Object.entries(spec.paths)) {
      for (const [method, op] of Object.entries(item)) {
        const tag = op.tags[0];
        if (!groups.has(tag)) groups.set(tag, element("section", "", element("h2", tag)));
        groups.get(tag).append(shown(spec, method, path, op));
      }
    }
    place.append(...groups.values());
  };

  fetch("/openapi.json").then((answer) => answer.json()).then(show, (failed) => {
    document.getElementById("operations").textContent = `The document could not be read: ${failed}`;
  });
})();
