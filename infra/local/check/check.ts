// Everything that can be said of manifests without an API server, a provider or a network.
import { coreCrds } from '../../../shared/api/crds.ts';
import type { Intent } from '../../../shared/api/object.ts';
import { simulatedCrds } from '../provider/crds/index.ts';
import { type ApiServer, createApiServer, isDefinition } from './as-stored.ts';
import { type Finding, inOrder, toFinding } from './finding.ts';
import { checkPatchPaths } from './patch-paths.ts';
import { checkTemplates, isCluster, isClusterClass, type Objects, type Told } from './references.ts';
import type { CheckReport } from './report.ts';
import { type File, keyOf, readSubjects, type Subject } from './subjects.ts';
import { checkCluster } from './topology.ts';
import { checkValues } from './variables.ts';

/** Looks at every object of the files; none of them stops the others. */
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
    notes: [...tellUnknown(unknown), ...checked.flatMap(({ notes }) => notes)],
  };
}

interface Surroundings {
  readonly server: ApiServer;
  readonly objects: Objects;
}

interface Checked extends Told {
  /** Nobody has told the kind of the object. */
  readonly isUnknown: boolean;
}

function checkOne({ object }: Subject, { server, objects }: Surroundings): Checked {
  const answer = server.create(object);
  const isUnknown = answer === 'unknown';
  const problems = isUnknown ? [] : answer;
  if (problems.some(({ severity }) => severity === 'error')) {
    // Whatever else there is to say would follow from these.
    return { problems, notes: [], isUnknown };
  }
  const meaning = checkMeaning(object, objects);
  return { problems: [...problems, ...meaning.problems], notes: meaning.notes, isUnknown };
}

function checkMeaning(object: Intent, objects: Objects): Told {
  if (isClusterClass(object)) {
    const { problems, notes } = checkTemplates(object, objects);
    return { problems: [...problems, ...checkPatchPaths(object, objects)], notes };
  }
  return isCluster(object)
    ? both(checkCluster(object, objects), checkValues(object, objects))
    : { problems: [], notes: [] };
}

function both(one: Told, other: Told): Told {
  return { problems: [...one.problems, ...other.problems], notes: [...one.notes, ...other.notes] };
}

/** Those of the files win over ours. */
function toDefinitions(subjects: readonly Subject[]): readonly Intent[] {
  const given = subjects.map(({ object }) => object).filter(isDefinition);
  const names = new Set(given.map(({ metadata }) => metadata.name));
  return [...given, ...[...coreCrds, ...simulatedCrds].filter(({ metadata }) => !names.has(metadata.name))];
}

function toObjects(subjects: readonly Subject[]): Objects {
  const known = new Map(subjects.map(({ object }) => [keyOf({ ...object, ...object.metadata }), object]));
  return { find: of => known.get(keyOf(of)) };
}

function tellUnknown(objects: readonly Intent[]): readonly string[] {
  const kinds = [...new Set(objects.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`))].sort();
  return kinds.map(
    kind => `${kind} is in no definition: its objects were not checked; add the provider's CRDs to the files`,
  );
}
