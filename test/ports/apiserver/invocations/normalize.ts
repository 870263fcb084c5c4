// Removes from the output of kubectl what differs between two runs.

const replacements: readonly (readonly [RegExp, string])[] = [
  [/https:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+/g, 'SERVER'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'],
  // The version in the annotation of the last applied object has no spaces.
  [/(resourceVersion"?: ?)"\d+"/g, '$1"VERSION"'],
  [/(Resource Version: +)\d+/g, '$1VERSION'],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z| [+-]\d{4})?/g, 'TIME'],
  // The log of the client library, with date, time and source line. A timeout may end a watch in several ways.
  [/^[EWI]\d{4} \S+ +\d+ \S+\] .*\n/gm, ''],
  // Files of diff and edit.
  [/\/tmp\/(LIVE|MERGED)-\d+\//g, '$1/'],
  [/\/tmp\/kubectl-edit-\d+\.yaml/g, 'EDITED'],
  // Ages in tables.
  [/\b(?:\d+[dhm])*\d+[dhms]\b/g, 'AGE'],
  [/(?:<unknown>|<invalid>)(?= *$)/gm, 'AGE'],
  [/ {2,}/g, ' '],
  [/ +$/gm, ''],
];

/** kube-apiserver reports the problems of an object in no order. */
function inOrder(problems: string): string {
  return problems.split('\n').toSorted().join('\n');
}

/** Returns the text without names of the machine, identities, times, ages, and widths of columns. */
export function normalize(text: string): string {
  const kept = replacements.reduce((before, [pattern, by]) => before.replace(pattern, by), text);
  return kept.replace(/^\* .*(?:\n\* .*)+/gm, inOrder);
}
