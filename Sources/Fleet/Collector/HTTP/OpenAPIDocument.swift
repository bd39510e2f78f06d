import FirstlightModel
import Foundation
import LinkerFormats
import ReportFormats
import SymbolOrdering

/// The description of the API (OpenAPI 3.1), served at /v1/openapi.json.
enum OpenAPIDocument {
  /// The methods of a path; nil if the document does not have the path.
  static func methods(ofPath path: String) -> [String]? {
    let parts = path.split(separator: "/")
    return methods.first { described, _ in
      let described = described.split(separator: "/")
      return described.count == parts.count
        && zip(described, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }?.value
  }

  /// The methods of each path in the document.
  private static let methods: [String: [String]] = {
    struct Paths: Decodable { var paths: [String: [String: Operation]] }
    struct Operation: Decodable {}
    let described = try? JSONDecoder().decode(Paths.self, from: Data(text.utf8))
    return (described?.paths ?? [:]).mapValues { operations in
      operations.keys.sorted().flatMap { $0 == "get" ? ["GET", "HEAD"] : [$0.uppercased()] }
    }
  }()

  private static func list<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) -> String
  where Choice.RawValue == String {
    Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
  }

  static let text = #"""
    {
      "openapi": "3.1.0",
      "info": {
        "title": "firstlightd",
        "version": "1",
        "summary": "Shows which functions of a fleet's programs run at start-up and which never run.",
        "description": "A daemon with --token-file requires a token. A daemon without one is reachable only from its own machine and requires its local token for uploads. Unknown query parameters are errors. A plus in a query means a space, %2B a plus.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
      },
      "servers": [{"url": "/"}],
      "security": [{"token": []}, {"browser": []}, {}],
      "paths": {
        "/v1/states": {
          "post": {
            "summary": "Takes what a host has counted so far. A row that is known, or older than the known one, changes nothing.",
            "operationId": "sendStates",
            "parameters": [
              {"name": "Content-Encoding", "in": "header", "schema": {"enum": ["identity", "deflate"]}}
            ],
            "requestBody": {
              "required": true,
              "content": {"application/vnd.firstlight.states": {"schema": {"type": "string", "format": "binary"}}}
            },
            "responses": {
              "200": {"description": "The rows are stored durably, but for those that are refused or early.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Receipt"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/versions": {
          "post": {
            "summary": "Returns which versions of a host's rows the store has. Changes nothing.",
            "operationId": "compareVersions",
            "parameters": [
              {"name": "Content-Encoding", "in": "header", "schema": {"enum": ["identity", "deflate"]}}
            ],
            "requestBody": {
              "required": true,
              "content": {"application/vnd.firstlight.versions": {"schema": {"type": "string", "format": "binary"}}}
            },
            "responses": {
              "200": {"description": "The versions, in the order of the rows.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Versions"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/symbols": {
          "post": {
            "summary": "Adds a binary or debug file, for the function names of its build.",
            "description": "Requires a token of the role symbols or admin. A file that contradicts the functions of its build is refused with 422, unless an administrator sends it.",
            "operationId": "sendSymbols",
            "parameters": [{"name": "name", "in": "query", "schema": {"type": "string"}}],
            "requestBody": {
              "required": true,
              "content": {"application/x-elf": {"schema": {"type": "string", "format": "binary"}}}
            },
            "responses": {
              "200": {"description": "The function names are stored.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Symbols"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/builds": {
          "get": {
            "summary": "Lists builds, by program and build id.",
            "operationId": "listBuilds",
            "parameters": [
              {"$ref": "#/components/parameters/buildID"}, {"$ref": "#/components/parameters/recorder"},
              {"$ref": "#/components/parameters/program"},
              {"$ref": "#/components/parameters/version"},
              {"name": "after", "in": "query", "description": "The value of next from the previous page.", "schema": {"type": "string", "pattern": "^[0-9a-f]+ (guards|breakpoints) .*$"}},
              {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}}
            ],
            "responses": {
              "200": {"description": "A page of the list.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Builds"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/builds/{id}": {
          "delete": {
            "summary": "Removes a build: counts, functions, sampled traces.",
            "description": "Requires a token of the role admin.",
            "operationId": "forgetBuild",
            "parameters": [
              {"name": "id", "in": "path", "required": true, "description": "The whole build id.", "schema": {"type": "string"}},
              {"name": "recorder", "in": "query", "schema": {"enum": ["guards", "breakpoints", "entry-hooks"], "default": "guards"}}
            ],
            "responses": {
              "204": {"description": "The build is removed; the store's table audit records the client."},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/startups": {
          "get": {
            "summary": "Lists start-up times by build and labels.",
            "operationId": "listStartups",
            "parameters": [
              {"$ref": "#/components/parameters/buildID"}, {"$ref": "#/components/parameters/recorder"},
              {"$ref": "#/components/parameters/program"},
              {"$ref": "#/components/parameters/version"}, {"$ref": "#/components/parameters/label"},
              {"$ref": "#/components/parameters/since"}, {"$ref": "#/components/parameters/until"}
            ],
            "responses": {
              "200": {"description": "Times in seconds.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Startups"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/profile": {
          "get": {
            "summary": "Returns the selected builds as a profile (*.flp, SQLite) for firstlight.",
            "operationId": "getProfile",
            "parameters": [
              {"$ref": "#/components/parameters/buildID"}, {"$ref": "#/components/parameters/recorder"},
              {"$ref": "#/components/parameters/program"},
              {"$ref": "#/components/parameters/version"}, {"$ref": "#/components/parameters/label"},
              {"$ref": "#/components/parameters/since"}, {"$ref": "#/components/parameters/until"}
            ],
            "responses": {
              "200": {"description": "A profile.", "content": {"application/vnd.sqlite3": {"schema": {"type": "string", "format": "binary"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/order": {
          "get": {
            "summary": "Returns a symbol order for a linker.",
            "operationId": "getOrder",
            "parameters": [
              {"$ref": "#/components/parameters/buildID"}, {"$ref": "#/components/parameters/recorder"},
              {"$ref": "#/components/parameters/program"},
              {"$ref": "#/components/parameters/version"}, {"$ref": "#/components/parameters/label"},
              {"$ref": "#/components/parameters/since"}, {"$ref": "#/components/parameters/until"},
              {"name": "image", "in": "query", "schema": {"type": "string"}},
              {"name": "format", "in": "query", "description": "A format of firstlight order.", "schema": {"enum": [\#(list(LinkerFormat.self))], "default": "lld"}},
              {"name": "strategy", "in": "query", "schema": {"enum": [\#(list(OrderingStrategy.self))], "default": "first-call"}},
              {"name": "page-size", "in": "query", "schema": {"type": "integer", "minimum": 512, "default": \#(PageSize.reported)}}
            ],
            "responses": {
              "200": {"description": "The order.", "content": {"text/plain": {"schema": {"type": "string"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/dead": {
          "get": {
            "summary": "Lists the functions that no recorded run called.",
            "operationId": "getDead",
            "parameters": [
              {"$ref": "#/components/parameters/buildID"}, {"$ref": "#/components/parameters/recorder"},
              {"$ref": "#/components/parameters/program"},
              {"$ref": "#/components/parameters/version"}, {"$ref": "#/components/parameters/label"},
              {"$ref": "#/components/parameters/since"}, {"$ref": "#/components/parameters/until"},
              {"name": "module", "in": "query", "description": "A pattern. Repeatable.", "schema": {"type": "string"}},
              {"name": "path", "in": "query", "description": "A pattern. Repeatable.", "schema": {"type": "string"}},
              {"name": "exclude", "in": "query", "description": "A pattern of modules or source files. Repeatable.", "schema": {"type": "string"}},
              {"name": "own", "in": "query", "description": "A pattern of your own source files. Repeatable.", "schema": {"type": "string"}},
              {"name": "all", "in": "query", "description": "Includes compiler-generated functions.", "schema": {"type": "string"}},
              {"name": "format", "in": "query", "description": "A format of firstlight dead.", "schema": {"enum": [\#(list(DeadFormat.self))], "default": "text"}}
            ],
            "responses": {
              "200": {"description": "The list.", "content": {
                "text/plain": {"schema": {"type": "string"}}, "text/csv": {"schema": {"type": "string"}},
                "text/markdown": {"schema": {"type": "string"}},
                "text/html": {"schema": {"type": "string"}}, "application/xml": {"schema": {"type": "string"}},
                "application/json": {"schema": {"type": ["object", "array"]}}, "application/sarif+json": {"schema": {"type": "object"}}
              }},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/status": {
          "get": {
            "summary": "Returns the state of the daemon.",
            "operationId": "getStatus",
            "responses": {
              "200": {"description": "The state.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/openapi.json": {
          "get": {
            "summary": "Returns this description.",
            "operationId": "getDescription",
            "security": [],
            "responses": {"200": {"description": "OpenAPI 3.1.", "content": {"application/json": {"schema": {"type": "object"}}}}}
          }
        },
        "/metrics": {
          "get": {
            "summary": "Returns metrics for Prometheus.",
            "operationId": "getMetrics",
            "responses": {
              "200": {"description": "Text exposition format.", "content": {"text/plain": {"schema": {"type": "string"}}}},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/healthz": {
          "get": {
            "summary": "Checks that the daemon is running.",
            "operationId": "getHealth",
            "security": [],
            "responses": {"200": {"description": "It is running.", "content": {"text/plain": {"schema": {"type": "string"}}}}}
          }
        },
        "/readyz": {
          "get": {
            "summary": "Checks that the daemon accepts requests.",
            "operationId": "getReadiness",
            "security": [],
            "responses": {
              "200": {"description": "It accepts requests.", "content": {"text/plain": {"schema": {"type": "string"}}}},
              "503": {"$ref": "#/components/responses/Problem"}
            }
          }
        }
      },
      "components": {
        "securitySchemes": {
          "token": {"type": "http", "scheme": "bearer"},
          "browser": {"type": "http", "scheme": "basic", "description": "The token is the password."}
        },
        "parameters": {
          "buildID": {"name": "build-id", "in": "query", "description": "The build id. If no build has just this one: its first digits.", "schema": {"type": "string"}},
          "recorder": {"name": "recorder", "in": "query", "description": "Selects one of the two builds of a binary that was recorded in several ways.", "schema": {"enum": ["guards", "breakpoints", "entry-hooks"]}},
          "program": {"name": "program", "in": "query", "description": "The program's file name.", "schema": {"type": "string"}},
          "version": {"name": "version", "in": "query", "schema": {"type": "string"}},
          "label": {"name": "label", "in": "query", "description": "KEY=VALUE. Repeatable.", "schema": {"type": "string", "pattern": "^[^=]+=.*$"}},
          "since": {"name": "since", "in": "query", "description": "The first day, in UTC.", "schema": {"type": "string", "format": "date", "pattern": "^(19[7-9]|[2-9][0-9]{2})"}},
          "until": {"name": "until", "in": "query", "description": "The last day (inclusive), in UTC.", "schema": {"type": "string", "format": "date", "pattern": "^(19[7-9]|[2-9][0-9]{2})"}}
        },
        "responses": {
          "Problem": {
            "description": "The problem (RFC 9457).",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          }
        },
        "schemas": {
          "Problem": {
            "type": "object", "required": ["type", "title", "status"],
            "properties": {
              "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
              "detail": {"type": "string"}, "advice": {"type": "string", "description": "The next step for the client."},
              "batch": {"type": "string", "description": "The name (header Firstlight-Batch) of a batch that is refused for good."}
            }
          },
          "Receipt": {
            "type": "object", "required": ["added", "known", "foreign", "removed", "samples", "refused", "early", "crowded", "firstOpenDay", "sampleLimits"],
            "properties": {
              "added": {"type": "integer"}, "known": {"type": "integer"}, "samples": {"type": "integer"},
              "refused": {"type": "array", "items": {"type": "object", "properties": {"row": {"type": "integer"}, "reason": {"type": "string"}, "late": {"type": "boolean", "description": "Whether its day is closed, but nothing was removed: its host may count it on a later day."}}}},
              "foreign": {"type": "array", "description": "Rows that another copy of the ledger has sent differently. They are not taken.", "items": {"type": "integer"}},
              "removed": {"type": "array", "description": "Rows of 1970-01-01 that were removed from the store. They are not taken.", "items": {"type": "integer"}},
              "early": {"type": "array", "description": "Rows whose day has not begun.", "items": {"type": "integer"}},
              "crowded": {"type": "array", "description": "Rows for whose labels there is no room now. They are not taken.", "items": {"type": "integer"}},
              "firstOpenDay": {"type": "string", "format": "date", "description": "Rows of earlier days are refused."},
              "sampleLimits": {"type": "array", "items": {"type": "object", "properties": {"buildID": {"type": "string"}, "recorder": {"type": "string"}, "family": {"type": "string"}}}}
            }
          },
          "Versions": {
            "type": "object", "required": ["versions"],
            "properties": {"versions": {"type": "array", "description": "0 for a row that the store does not have.", "items": {"type": "integer"}}}
          },
          "Symbols": {
            "type": "object", "required": ["buildID", "functions", "hasSymbols", "hasDebugInfo"],
            "properties": {
              "buildID": {"type": "string"}, "functions": {"type": "integer"},
              "hasSymbols": {"type": "boolean"}, "hasDebugInfo": {"type": "boolean"}
            }
          },
          "Build": {
            "type": "object", "required": ["buildID", "recorder", "program", "names", "guards", "runs"],
            "properties": {
              "buildID": {"type": "string"}, "recorder": {"enum": ["guards", "breakpoints", "entry-hooks"]},
              "program": {"type": "string"}, "kind": {"enum": ["executable", "shared library"]},
              "names": {"type": "array", "items": {"type": "string"}, "description": "All names of its file, that of most runs first."},
              "versions": {"type": "array", "items": {"type": "string"}},
              "guards": {"type": "integer"}, "hasFunctions": {"type": "boolean"},
              "readFailure": {"type": "string", "description": "The reason that its file could not be read; absent if it was read."},
              "contradiction": {"type": "string", "description": "The first file that contradicted its functions; absent if none did."},
              "firstDay": {"type": "string", "format": "date"}, "lastDay": {"type": "string", "format": "date"},
              "runs": {"type": "integer"}, "processes": {"type": "integer"}, "hosts": {"type": "integer"},
              "secondsObserved": {"type": "number"}, "losses": {"type": "integer"},
              "droppedBefore": {"type": "string", "format": "date", "description": "Evidence from before this day was removed; absent if the evidence is complete."},
              "droppedBy": {"type": "string", "description": "The setting that removed it, such as retain-days=90."}
            }
          },
          "DroppedBuild": {
            "type": "object", "required": ["buildID", "recorder", "program", "before", "by"],
            "properties": {
              "buildID": {"type": "string"}, "recorder": {"enum": ["guards", "breakpoints", "entry-hooks"]},
              "program": {"type": "string"}, "before": {"type": "string", "format": "date"},
              "by": {"type": "string", "description": "The setting that removed it, such as retain-builds=500."}
            }
          },
          "Builds": {
            "type": "object", "required": ["builds"],
            "properties": {
              "builds": {"type": "array", "items": {"$ref": "#/components/schemas/Build"}},
              "next": {"type": "string", "description": "Absent on the last page."},
              "dropped": {"type": "array", "description": "Builds removed by retention, latest first, at most 20; only on the first page, absent if there are none.", "items": {"$ref": "#/components/schemas/DroppedBuild"}}
            }
          },
          "Startups": {
            "type": "object", "required": ["startups"],
            "properties": {
              "startups": {"type": "array", "items": {"type": "object", "properties": {
                "buildID": {"type": "string"}, "program": {"type": "string"}, "version": {"type": "string"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "firstDay": {"type": "string", "format": "date"}, "lastDay": {"type": "string", "format": "date"},
                "starts": {"type": "integer"}, "p50": {"type": "number"}, "p90": {"type": "number"}, "p99": {"type": "number"},
                "stages": {"type": "array", "description": "Stages of traced starts; absent if there are none.", "items": {"type": "object", "properties": {
                  "kind": {"type": "string", "enum": ["exec", "earlier", "mapping", "relocating", "initializers", "main", "unknown", "event"]},
                  "starts": {"type": "integer"}, "p50": {"type": "number"}, "p90": {"type": "number"}, "p99": {"type": "number"}
                }}}
              }}}
            }
          },
          "Status": {
            "type": "object",
            "properties": {
              "version": {"type": "string"}, "startedAt": {"type": "number"}, "spool": {"type": "string"},
              "sink": {"type": "string"}, "sinkReachable": {"type": "boolean"}, "intakeProblem": {"type": "string"},
              "outboxTraces": {"type": "integer"}, "outboxBytes": {"type": "integer"}, "outboxOldestSeconds": {"type": "number"},
              "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
              "running": {"type": "array", "items": {"type": "object"}},
              "builds": {"type": "integer"}, "rows": {"type": "integer"}, "coverageRows": {"type": "integer"}, "sampledTraces": {"type": "integer"}
            }
          }
        }
      }
    }

    """#
}
