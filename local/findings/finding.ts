// A finding of a check, with its position in the files.
import { type FieldError, printProblem } from '@capi-serverless/apimachinery';
import { type ManifestNode, type ManifestPosition, positionOf } from '../manifest-nodes.ts';

/** The server refuses an error, or an error stops a reconcile. A warning is probably a mistake, but may be correct. */
type Severity = 'error' | 'warning';

/** The file and its position. Absent if the object is in no file. */
export interface Finding extends Partial<ManifestPosition> {
  /** The file, or the server that was checked. */
  readonly file: string;
  readonly severity: Severity;
  /** The object, for example `ClusterClass default/quick-start`. Absent if the file cannot be read. */
  readonly object?: string;
  /**
   * The field in the syntax of API servers: `spec.variables[httpProxy].name`. If absent, the finding refers to the
   * whole object.
   */
  readonly field?: string;
  readonly message: string;
}

/** A problem of an object, before its line in the file is known. */
export interface ObjectProblem {
  readonly severity: Severity;
  /** The field. "" for the whole object. */
  readonly field: string;
  readonly message: string;
}

export function toProblem(error: FieldError): ObjectProblem {
  return { severity: 'error', field: error.field, message: printProblem(error) };
}

export function toFinding(
  manifest: ManifestNode,
  object: string,
  { severity, field, message }: ObjectProblem,
): Finding {
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

/**
 * Splits `spec.variables[a.b].value` into spec, variables, a.b, value. Brackets contain an index, the name of an item,
 * or a map key.
 */
function toSteps(field: string): readonly string[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, bracketed, plain]) => bracketed ?? plain ?? '');
}

/** Sorts by position, with errors before warnings, and removes duplicates. */
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
