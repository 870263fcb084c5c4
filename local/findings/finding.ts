// What a check finds, with its position in the files.
import { type FieldError, printProblem } from '@capi-serverless/apimachinery';
import { type ManifestNode, type Position, positionOf } from '../manifest-nodes.ts';

/** The server refuses an error, or it stops a reconcile. A warning may be correct, but probably is not. */
type Severity = 'error' | 'warning';

/** Without position if the object is in no file. */
export interface Finding extends Partial<Position> {
  /** Or the server that was checked. */
  readonly file: string;
  readonly severity: Severity;
  /** `ClusterClass default/quick-start`; absent when the file cannot be read that far. */
  readonly object?: string;
  /** As API servers write it: `spec.variables[httpProxy].name`. Absent: the whole object. */
  readonly field?: string;
  readonly message: string;
}

/** A problem of an object, before its line in the file is looked up. */
export interface Problem {
  readonly severity: Severity;
  /** "" for the whole object. */
  readonly field: string;
  readonly message: string;
}

export function toProblem(error: FieldError): Problem {
  return { severity: 'error', field: error.field, message: printProblem(error) };
}

export function toFinding(manifest: ManifestNode, object: string, { severity, field, message }: Problem): Finding {
  const position = positionOf(manifest, toSteps(field));
  return {
    file: manifest.fileName,
    ...position,
    severity,
    object,
    ...(field === '' ? {} : { field }),
    message,
  };
}

/** `spec.variables[a.b].value` → spec, variables, a.b, value. Brackets hold an index, the name of an item, or a map key. */
function toSteps(field: string): readonly string[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, bracketed, plain]) => bracketed ?? plain ?? '');
}

/** By position, errors before warnings, without duplicates. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const known = new Map(findings.map(finding => [JSON.stringify(finding), finding]));
  return [...known.values()].sort(
    (a, b) =>
      compare(a.file, b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      compare(a.severity, b.severity) ||
      compare(a.message, b.message),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
