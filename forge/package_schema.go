package forge

import (
	"fmt"
	"sync"

	"example.com/toolsmith/runtime/schema"
)

// maxVerdicts bounds the verdicts of a package; those of long ago are left out.
const maxVerdicts = 20

// packageSchema is what the members of a package are. Schemas, values and verdicts within it are only objects to it.
var packageSchema = fmt.Sprintf(`{
  "type": "object", "additionalProperties": false,
  "required": ["schemaVersion", "packageType", "exportedAt", "portability", "tool"],
  "properties": {
    "schemaVersion": {"const": %q},
    "packageType": {"const": %q},
    "exportedAt": {"$ref": "#/$defs/time"},
    "portability": {
      "type": "object", "additionalProperties": false, "required": ["portable", "warnings"],
      "properties": {
        "portable": {"type": "boolean"},
        "warnings": {"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 1000}}
      }
    },
    "tool": {
      "type": "object", "additionalProperties": false,
      "required": ["originalToolId", "originalTier", "name", "description", "inputSchema", "outputSchema", "implementation", "createdBy", "createdAt",
        "source", "judgeVerdicts", "usageStats"],
      "properties": {
        "originalToolId": {"type": "string", "minLength": 1, "maxLength": 200},
        "originalTier": {"enum": ["session", "agent", "shared"]},
        "name": {"type": "string"},
        "description": {"type": "string", "minLength": 1, "maxLength": %d},
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object"},
        "implementation": {"$ref": "#/$defs/implementation"},
        "testCases": {
          "type": "array", "maxItems": 100,
          "items": {
            "type": "object", "additionalProperties": false, "required": ["input"],
            "properties": {"input": {"type": "object"}, "expectedOutput": {}, "partial": {"type": "boolean"}}
          }
        },
        "createdBy": {"type": "string", "minLength": 1, "maxLength": 200},
        "createdAt": {"$ref": "#/$defs/time"},
        "source": {"type": "string", "maxLength": 1000},
        "judgeVerdicts": {"type": "array", "maxItems": %d, "items": {"type": "object"}},
        "usageStats": {"$ref": "#/$defs/usage"}
      }
    },
    "integrity": {
      "type": "object", "additionalProperties": false, "required": ["algorithm", "digest"],
      "properties": {
        "algorithm": {"const": "sha256"},
        "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "signature": {
          "type": "object", "additionalProperties": false, "required": ["keyId", "value"],
          "properties": {"keyId": {"type": "string", "pattern": "^[0-9a-f]{16}$"}, "value": {"type": "string", "pattern": "^[A-Za-z0-9+/]{86}==$"}}
        }
      }
    }
  },
  "$defs": {
    "time": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}", "maxLength": 40},
    "count": {"type": "integer", "minimum": 0, "maximum": 1000000000000},
    "implementation": {
      "type": "object", "additionalProperties": false, "required": ["mode"],
      "properties": {
        "mode": {"enum": ["compose", "sandbox"]},
        "steps": {
          "type": "array", "minItems": 1, "maxItems": 100,
          "items": {
            "type": "object", "additionalProperties": false, "required": ["name", "tool", "inputMapping"],
            "properties": {
              "name": {"type": "string"}, "tool": {"type": "string"}, "inputMapping": {"type": "object"}, "condition": {"type": "string"}
            }
          }
        },
        "language": {"enum": ["js", "ts"]},
        "allowlist": {"type": "array", "maxItems": 3, "items": {"enum": ["fetch", "fs.readFile", "crypto"]}},
        "timeoutMs": {"type": "integer", "minimum": 1, "maximum": 60000},
        "memoryMB": {"type": "integer", "minimum": 4, "maximum": 1024},
        "sourcePersisted": {"type": "boolean"},
        "redactedAtRest": {"type": "boolean"},
        "code": {"type": "string"}
      }
    },
    "usage": {
      "type": "object", "additionalProperties": false,
      "required": ["totalUses", "successCount", "failureCount", "avgExecutionTimeMs", "lastUsedAt", "confidenceScore"],
      "properties": {
        "totalUses": {"$ref": "#/$defs/count"}, "successCount": {"$ref": "#/$defs/count"}, "failureCount": {"$ref": "#/$defs/count"},
        "avgExecutionTimeMs": {"type": "number", "minimum": 0},
        "lastUsedAt": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/time"}]},
        "confidenceScore": {"type": "number", "minimum": 0, "maximum": 1}
      }
    }
  }
}`, PackageVersion, PackageType, MaxDescriptionBytes, maxVerdicts)

// compiledPackageSchema is packageSchema, ready to check.
var compiledPackageSchema = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile([]byte(packageSchema)) })
