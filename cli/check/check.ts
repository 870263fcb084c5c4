// Checks manifests without an API server, a provider or a network.

import type { Intent } from '@capi-serverless/apimachinery';
import { type CheckingApiServer, createApiServer, isDefinition } from '../../local/findings/as-stored.ts';
import { type Finding, inOrder, toFinding } from '../../local/findings/finding.ts';
import type { CheckReport } from '../../local/findings/report.ts';
import { type CheckedObject, type File, keyOf, readSubjects } from '../../local/findings/subjects.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { checkCluster } from './check-cluster.ts';
import { type CheckResult, checkTemplates, type FileObjects, isCluster, isClusterClass } from './check-templates.ts';
import { checkValues } from './check-values.ts';
import { checkPatchPaths } from './patch-paths.ts';

/** Checks every object of the files. A failed object does not stop the others. */
export function check(files: readonly File[]): CheckReport {
  const { subjects, findings } = readSubjects(files);
  const objects = toObjects(subjects);
  const server = createApiServer(toDefinitions(subjects));
  const checked = subjects.map(subject => ({ subject, ...checkOne(subject, { server, objects }) }));
  const unknown = checked.filter(({ isUnknown }) => isUnknown).map(({ subject }) => subject.object);
  const found = checked.flatMap(({ subject: { manifest, name }, problems }) =>
    problems.map((problem): Finding => toFinding(manifest, name, problem)),
  );
  return {
    objects: subjects.length,
    findings: inOrder([...findings, ...found]),
    notes: [...notesOfUnknown(unknown), ...checked.flatMap(({ notes }) => notes)],
  };
}

interface CheckContext {
  readonly server: CheckingApiServer;
  readonly objects: FileObjects;
}

interface Checked extends CheckResult {
  /** The kind of the object is not known. */
  readonly isUnknown: boolean;
}

function checkOne({ object }: CheckedObject, { server, objects }: CheckContext): Checked {
  const answer = server.create(object);
  const isUnknown = answer === 'unknown';
  const problems = isUnknown ? [] : answer;
  if (problems.some(({ severity }) => severity === 'error')) {
    // The check ends here, because further findings would be consequences of these.
    return { problems, notes: [], isUnknown };
  }
  const meaning = checkMeaning(object, objects);
  return { problems: [...problems, ...meaning.problems], notes: meaning.notes, isUnknown };
}

function checkMeaning(object: Intent, objects: FileObjects): CheckResult {
  if (isClusterClass(object)) {
    const { problems, notes } = checkTemplates(object, objects);
    return { problems: [...problems, ...checkPatchPaths(object, objects)], notes };
  }
  return isCluster(object)
    ? both(checkCluster(object, objects), checkValues(object, objects))
    : { problems: [], notes: [] };
}

function both(one: CheckResult, other: CheckResult): CheckResult {
  return { problems: [...one.problems, ...other.problems], notes: [...one.notes, ...other.notes] };
}

/** Definitions in the files have precedence over the built-in definitions. */
function toDefinitions(subjects: readonly CheckedObject[]): readonly Intent[] {
  const given = subjects.map(({ object }) => object).filter(isDefinition);
  const names = new Set(given.map(({ metadata }) => metadata.name));
  return [...given, ...[...coreCrds, ...simulatedCrds].filter(({ metadata }) => !names.has(metadata.name))];
}

function toObjects(subjects: readonly CheckedObject[]): FileObjects {
  const known = new Map(subjects.map(({ object }) => [keyOf({ ...object, ...object.metadata }), object]));
  return { find: of => known.get(keyOf(of)) };
}

function notesOfUnknown(objects: readonly Intent[]): readonly string[] {
  const kinds = [...new Set(objects.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`))].sort();
  return kinds.map(
    kind => `${kind} is in no definition: its objects were not checked; add the provider's CRDs to the files`,
  );
}
