// The definitions of a provider's kinds. Invalid definitions are refused with position and remedy, before any request
// to a server.

import { crdNameOf, type Intent, type Reads, toRecord } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { checkFiles } from '../contract-check/check-contract.ts';
import { type InstallableDefinition, toInstallable } from '../crds.ts';
import { isDefinition } from '../findings/as-stored.ts';
import { toLine } from '../findings/report.ts';
import { type File, readSubjects } from '../findings/subjects.ts';
import { UsageError } from '../usage-error.ts';
import { definitionNames, type ProviderFolder } from './folder.ts';

export interface ExternalDefinition {
  readonly crd: InstallableDefinition;
  /** The file that contains the definition. */
  readonly file: string;
}

const mostFindings = 3;

/**
 * Returns the definitions of the provider's files. Throws UsageError if a file cannot be read, or if a definition
 * violates the provider contract. Also throws if the kind of a reconciler is not defined here or by another provider.
 */
export function readDefinitions(
  { name: folder, definitions: files }: Pick<ProviderFolder, 'name' | 'definitions'>,
  declarations: readonly Declaration[],
): readonly ExternalDefinition[] {
  refuseFindings(files, declarations);
  const definitions = readSubjects(files)
    .subjects.filter(({ object }) => isDefinition(object))
    .map(({ object, manifest }) => toExternalDefinition(object, manifest.fileName));
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

function toExternalDefinition(object: Intent, file: string): ExternalDefinition {
  const checked = toInstallable(object);
  if (!checked.ok) {
    throw new UsageError(`${file}: CustomResourceDefinition ${object.metadata.name}: ${checked.error}`);
  }
  return { crd: checked.value, file };
}

/** Warnings do not stop the start. */
function refuseFindings(files: readonly File[], declarations: readonly Declaration[]): void {
  const errors = checkFiles(files).findings.filter(
    ({ severity, object = '' }) =>
      severity === 'error' && !isActuated(object.replace('CustomResourceDefinition ', ''), declarations),
  );
  if (errors.length > 0) {
    const more = errors.length - mostFindings;
    const message = errors.slice(0, mostFindings).map(toLine).join('; ');
    const names = [...new Set(errors.map(({ file }) => file))].join(' ');
    throw new UsageError(
      `${message}${more > 0 ? `; and ${more} more: npx capi-serverless check-contract ${names}` : ''}`,
    );
  }
}

/**
 * Returns kinds without a role in the provider contract, because only actuators reconcile them. These are the kinds of
 * actuators. In a group without any other reconciler, the children of their objects are included.
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

/** Lines about definitions that differ on the server. The server prunes fields that only the file has. */
export async function describeOutdated(
  reads: Pick<Reads, 'get'>,
  definitions: readonly ExternalDefinition[],
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

/** Fields that only the server has are ignored. */
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
