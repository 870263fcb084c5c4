// Every object of the files, with its position.
import { andThen, groupOf, type Intent, mapChecked, toDisplayName } from '@capi-serverless/apimachinery';
import { surprisingWords } from '@capi-serverless/go-template/yaml';
import { type ManifestNode, readManifestNodes } from '../manifest-nodes.ts';
import { defaultNamespace, toObject } from '../manifests.ts';
import type { Finding } from './finding.ts';

export interface CheckedObject {
  readonly manifest: ManifestNode;
  readonly object: Intent;
  /** The name for users, for example `ClusterClass default/quick-start`. */
  readonly name: string;
}

export interface File {
  readonly name: string;
  readonly text: string;
}

/** An object that cannot be read becomes a finding and does not hide other objects. */
export function readSubjects(
  files: readonly File[],
  namespace = defaultNamespace,
): {
  readonly subjects: readonly CheckedObject[];
  readonly findings: readonly Finding[];
} {
  const subjects: CheckedObject[] = [];
  const findings: Finding[] = [];
  for (const { name: file, text } of files) {
    for (const manifest of readManifestNodes(text, file)) {
      const subject = andThen(manifest, node =>
        mapChecked(toObject(node, namespace), object => ({ manifest: node, object, name: nameOf(object) })),
      );
      if (subject.ok) {
        subjects.push(subject.value);
      } else {
        const { line, column, problem } = subject.error;
        findings.push({ file, line, column, severity: 'error', message: problem });
      }
    }
  }
  return { subjects, findings: [...findings, ...subjects.flatMap(findWords), ...findRepetitions(subjects)] };
}

/** kubectl reads these words as other types than their writer may mean. */
function findWords({ manifest: { fileName, node, lines }, name }: CheckedObject): readonly Finding[] {
  return surprisingWords(node).map(({ word, value, offset }) => {
    const { line, col } = lines.linePos(offset);
    const message = `${word} is the ${typeof value} ${value} here; put it in quotes if it is a text`;
    return { file: fileName, line, column: col, severity: 'warning', object: name, message };
  });
}

function nameOf({ kind, metadata }: Intent): string {
  return `${kind} ${toDisplayName(metadata)}`;
}

/** If two objects have the same name, the second one would replace the first one. */
function findRepetitions(subjects: readonly CheckedObject[]): readonly Finding[] {
  const first = new Map<string, CheckedObject>();
  return subjects.flatMap(subject => {
    const key = keyOf({ ...subject.object, ...subject.object.metadata });
    const known = first.get(key);
    first.set(key, known ?? subject);
    if (known === undefined) {
      return [];
    }
    const { fileName, node, lines } = subject.manifest;
    const { line, col } = lines.linePos(node.range?.[0] ?? 0);
    const message = `${known.manifest.fileName} contains this object already; remove one of them`;
    return [{ file: fileName, line, column: col, severity: 'error' as const, object: subject.name, message }];
  });
}

/** The key is the same for every version of the kind. */
export function keyOf(of: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}): string {
  return JSON.stringify([groupOf(of.apiVersion), of.kind, of.namespace ?? '', of.name]);
}
