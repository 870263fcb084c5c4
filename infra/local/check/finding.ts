// What a check finds, and where in the files it stands.
import { type FieldError, printProblem } from '../../../shared/api/field-error.ts';
import type { ManifestNode, Position } from '../manifest-nodes.ts';
import { positionOf } from '../manifest-nodes.ts';

/** Errors would be refused or would stop a reconcile. Warnings may be right, but probably are not. */
export type Severity = 'error' | 'warning';

/** Without position where the object stands in no file. */
export interface Finding extends Partial<Position> {
  /** Or the server that was asked. */
  readonly file: string;
  readonly severity: Severity;
  /** `ClusterClass default/quick-start`; absent when the file cannot be read that far. */
  readonly object?: string;
  /** As API servers write it: `spec.variables[httpProxy].name`. Absent: the object as a whole. */
  readonly field?: string;
  readonly message: string;
}

/** A problem of an object of which nobody has asked yet where it stands. */
export interface Problem {
  readonly severity: Severity;
  /** "" for the object as a whole. */
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

/** `spec.variables[a.b].value` → spec, variables, a.b, value. Brackets hold the place or the name of an item, or a free key. */
export function toSteps(field: string): readonly string[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, bracketed, plain]) => bracketed ?? plain ?? '');
}

/** By place, errors before warnings; each only once. */
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
