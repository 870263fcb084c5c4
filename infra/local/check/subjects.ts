// Every object of the files, with its place.
import { groupOf, type Intent, toDisplayName } from '../../../shared/api/object.ts';
import { isUnreadable, type ManifestNode, readManifestNodes } from '../manifest-nodes.ts';
import { toObject } from '../manifests.ts';
import type { Finding } from './finding.ts';

export interface Subject {
  readonly manifest: ManifestNode;
  readonly object: Intent;
  /** For people: `ClusterClass default/quick-start`. */
  readonly name: string;
}

export interface File {
  readonly name: string;
  readonly text: string;
}

/** What cannot be read becomes a finding and hides nothing else. */
export function readSubjects(files: readonly File[]): {
  readonly subjects: readonly Subject[];
  readonly findings: readonly Finding[];
} {
  const subjects: Subject[] = [];
  const findings: Finding[] = [];
  for (const { name: file, text } of files) {
    for (const manifest of readManifestNodes(text, file)) {
      const read = isUnreadable(manifest) ? manifest : toObject(manifest);
      if ('problem' in read) {
        const { line, column, problem } = read;
        findings.push({ file, line, column, severity: 'error', message: problem });
      } else if (!isUnreadable(manifest)) {
        const name = `${read.object.kind} ${toDisplayName(read.object.metadata)}`;
        subjects.push({ manifest, object: read.object, name });
      }
    }
  }
  return { subjects, findings: [...findings, ...findRepetitions(subjects)] };
}

/** The second of two objects of one name would replace the first. */
function findRepetitions(subjects: readonly Subject[]): readonly Finding[] {
  const first = new Map<string, Subject>();
  return subjects.flatMap(subject => {
    const key = keyOf({ ...subject.object, ...subject.object.metadata });
    const known = first.get(key);
    first.set(key, known ?? subject);
    if (known === undefined) {
      return [];
    }
    const { fileName, node, lines } = subject.manifest;
    const { line, col } = lines.linePos(node.range?.[0] ?? 0);
    const message = `this object stands in ${known.manifest.fileName} already; remove one of them`;
    return [{ file: fileName, line, column: col, severity: 'error' as const, object: subject.name, message }];
  });
}

/** The same for every version of the kind. */
export function keyOf(of: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}): string {
  return JSON.stringify([groupOf(of.apiVersion), of.kind, of.namespace ?? '', of.name]);
}
