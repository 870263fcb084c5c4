// The definitions of a provider's kinds: refused with place and remedy before any server is asked.
import { toRecord } from '../../../shared/api/fields.ts';
import type { Intent } from '../../../shared/api/object.ts';
import type { Declaration, Reads } from '../../../shared/kernel/types.ts';
import { crdNameOf } from '../../../shared/names/plural.ts';
import { isDefinition } from '../check/as-stored.ts';
import { toLine } from '../check/report.ts';
import { type File, readSubjects } from '../check/subjects.ts';
import { checkFiles } from '../contract-check/check-contract.ts';
import { type InstallableDefinition, toInstallable } from '../crds.ts';
import { UsageError } from '../options.ts';
import { definitionNames, type ProviderFolder } from './folder.ts';

export interface GuestDefinition {
  readonly crd: InstallableDefinition;
  /** The file that it stands in. */
  readonly file: string;
}

const mostFindings = 3;

/**
 * What the provider's files define. Throws UsageError for a file that cannot be read as manifests, for a definition that
 * departs from the provider contract, and where the kind of a reconciler is not among them and nobody else's.
 */
export function readDefinitions(
  { name: folder, definitions: files }: Pick<ProviderFolder, 'name' | 'definitions'>,
  declarations: readonly Declaration[],
): readonly GuestDefinition[] {
  refuseFindings(files, declarations);
  const definitions = readSubjects(files)
    .subjects.filter(({ object }) => isDefinition(object))
    .map(({ object, manifest }) => toGuestDefinition(object, manifest.fileName));
  for (const { primary } of declarations) {
    const wanted = crdNameOf(primary);
    if (primary.group !== coreGroup && !definitions.some(({ crd }) => crd.metadata.name === wanted)) {
      throw new UsageError(
        `Provider ${folder} defines no ${wanted}, the kind that it reconciles; write the CustomResourceDefinition to ${folder}/${definitionNames[0]}`,
      );
    }
  }
  return definitions;
}

const coreGroup = 'cluster.x-k8s.io';

function toGuestDefinition(object: Intent, file: string): GuestDefinition {
  const checked = toInstallable(object);
  if (!checked.ok) {
    throw new UsageError(`${file}: CustomResourceDefinition ${object.metadata.name}: ${checked.error}`);
  }
  return { crd: checked.value, file };
}

/** Warnings are none of a start's business. */
function refuseFindings(files: readonly File[], declarations: readonly Declaration[]): void {
  const errors = checkFiles(files).findings.filter(
    ({ severity, object = '' }) =>
      severity === 'error' && !isActuated(object.replace('CustomResourceDefinition ', ''), declarations),
  );
  if (errors.length > 0) {
    const more = errors.length - mostFindings;
    const told = errors.slice(0, mostFindings).map(toLine).join('; ');
    const names = [...new Set(errors.map(({ file }) => file))].join(' ');
    throw new UsageError(`${told}${more > 0 ? `; and ${more} more: npm run check-contract -- ${names}` : ''}`);
  }
}

/**
 * What only actuators work on plays no part in the provider contract: the kind of each, and in a group without any other
 * reconciler the children of its objects, too.
 */
function isActuated(definition: string, declarations: readonly Declaration[]): boolean {
  const group = definition.slice(definition.indexOf('.') + 1);
  const inGroup = declarations.filter(({ primary }) => primary.group === group);
  return inGroup.some(
    each => isActuator(each) && (inGroup.every(isActuator) || crdNameOf(each.primary) === definition),
  );
}

function isActuator({ watches }: Declaration): boolean {
  return watches.length === 1;
}

/** Lines for a person about definitions that the server holds in another form: fields that only the file has are dropped there. */
export async function tellOutdated(
  reads: Pick<Reads, 'get'>,
  definitions: readonly GuestDefinition[],
): Promise<readonly string[]> {
  const lines = definitions.map(async ({ crd, file }) => {
    const { apiVersion, kind, metadata } = crd;
    const stored = await reads.get({ apiVersion, kind, name: metadata.name });
    return stored.ok && !holds(toRecord(stored.value.spec)['versions'], crd.spec.versions)
      ? [`${metadata.name} is installed in another form than in ${file}; kubectl apply -f ${file} brings that one`]
      : [];
  });
  return (await Promise.all(lines)).flat();
}

/** What a server adds by itself does not count. */
function holds(stored: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(stored) &&
      stored.length === wanted.length &&
      wanted.every((each, index) => holds(stored[index], each))
    );
  }
  if (typeof wanted === 'object' && wanted !== null) {
    const fields = toRecord(stored);
    return Object.entries(wanted).every(([name, value]) => Object.hasOwn(fields, name) && holds(fields[name], value));
  }
  return stored === wanted;
}
