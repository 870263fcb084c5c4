// Checks manifests without an API server, a provider or a network.

import { groupOf, type Intent, versionOf } from '@capi-serverless/apimachinery';
import { type CheckingApiServer, createApiServer, isDefinition } from '../../local/findings/as-stored.ts';
import { type Finding, inOrder, type ObjectProblem, toFinding } from '../../local/findings/finding.ts';
import type { CheckReport } from '../../local/findings/report.ts';
import { type CheckedObject, type File, keyOf, readSubjects } from '../../local/findings/subjects.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import { coreCrdOf, coreCrds } from '../../shared/api/crds.ts';
import { olderField } from '../../shared/conversion/older-fields.ts';
import { checkCluster } from './check-cluster.ts';
import { type CheckResult, checkTemplates, type FileObjects, isCluster, isClusterClass } from './check-templates.ts';
import { checkValues } from './check-values.ts';
import { type StoredObject, toStored } from './older-versions.ts';
import { checkPatchPaths } from './patch-paths.ts';

/**
 * Checks every object of the files. A failed object does not stop the others. `namespace` is that of objects that name
 * none.
 */
export function check(files: readonly File[], namespace?: string): CheckReport {
  const { subjects, findings } = readSubjects(files, namespace);
  const server = createApiServer(toDefinitions(subjects));
  const created = subjects.map(toStored).map(subject => ({ subject, answer: server.create(subject.object) }));
  const objects = toObjects(
    created.map(({ subject, answer }) => ({
      written: subject.object,
      stored: answer === 'unknown' ? undefined : answer.stored,
    })),
  );
  const checked = created.map(({ subject, answer }) => ({ subject, ...checkOne(subject, answer, objects) }));
  const unknown = checked
    .filter(({ isUnknown, problems }) => isUnknown && problems.length === 0)
    .map(({ subject }) => subject.object);
  const found = checked.flatMap(({ subject: { manifest, name }, problems }) =>
    problems.map((problem): Finding => toFinding(manifest, name, problem)),
  );
  return {
    objects: subjects.length,
    findings: inOrder([...findings, ...found]),
    notes: [...notesOfUnknown(unknown), ...checked.flatMap(({ notes }) => notes)],
  };
}

interface Checked extends CheckResult {
  /** The kind of the object is not known. */
  readonly isUnknown: boolean;
}

function checkOne(
  { object, original, problems: ofVersion }: StoredObject,
  answer: ReturnType<CheckingApiServer['create']>,
  objects: FileObjects,
): Checked {
  const isUnknown = answer === 'unknown';
  const ofServer = answer === 'unknown' ? problemsOfVersion(object, ofVersion) : answer.problems;
  const problems = [...ofVersion, ...inFile(original, ofServer)];
  if (problems.some(({ severity }) => severity === 'error')) {
    // The check ends here, because further findings would be consequences of these.
    return { problems, notes: [], isUnknown };
  }
  const meaning = checkMeaning(object, objects);
  return { problems: [...problems, ...inFile(original, meaning.problems)], notes: meaning.notes, isUnknown };
}

/** The fields of the findings are those of the file. */
function inFile(original: Intent | undefined, problems: readonly ObjectProblem[]): readonly ObjectProblem[] {
  return original === undefined
    ? problems
    : problems.map(problem => ({ ...problem, field: olderField(original, problem.field) }));
}

/** The kinds of Cluster API itself are read in the version that is stored, and in those that can be converted to it. */
function problemsOfVersion({ apiVersion, kind }: Intent, known: readonly ObjectProblem[]): readonly ObjectProblem[] {
  const version = coreCrdOf({ apiVersion, kind })?.spec.versions[0]?.name;
  return version === undefined || known.length > 0
    ? []
    : [
        {
          severity: 'error',
          field: 'apiVersion',
          message: `was not checked: ${kind} is read in ${version}, not in ${versionOf(apiVersion)}; "clusterctl convert FILE" writes it in ${version}`,
        },
      ];
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

interface FileObject {
  readonly written: Intent;
  readonly stored: Intent | undefined;
}

/** An object has the defaults of its definition, as a reconcile reads it, if an API server would store it. */
function toObjects(all: readonly FileObject[]): FileObjects {
  const known = new Map(
    all.map(({ written, stored = written }) => [keyOf({ ...written, ...written.metadata }), stored]),
  );
  return {
    find: of => known.get(keyOf(of)),
    namespacesOf: of =>
      all
        .map(({ written }) => written)
        .filter(({ apiVersion, kind, metadata }) => {
          const isKind = groupOf(apiVersion) === groupOf(of.apiVersion) && kind === of.kind;
          return isKind && metadata.name === of.name;
        })
        .flatMap(({ metadata }) => metadata.namespace ?? []),
  };
}

function notesOfUnknown(objects: readonly Intent[]): readonly string[] {
  const kinds = [...new Set(objects.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`))].sort();
  return kinds.map(
    kind => `${kind} is in no definition: its objects were not checked; add the provider's CRDs to the files`,
  );
}
