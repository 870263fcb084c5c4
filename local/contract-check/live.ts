// Reads the installed definitions and their objects from a server, for the contract check. Makes no writes.

import { type Intent, type Reads, toApiVersion, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { chooseContract } from '@capi-serverless/cluster-api/contract';
import { UsageError } from '../usage-error.ts';
import type { Item } from './check-contract.ts';
import { type ContractDefinition, publishedOf, readDefinition } from './contract-definitions.ts';

interface Live {
  readonly items: readonly Item[];
  /** Sentences about the parts that could not be checked. */
  readonly notes: readonly string[];
}

const definitionKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const roleKind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' } as const;
const managerLabel = { 'cluster.x-k8s.io/aggregate-to-manager': 'true' } as const;

/**
 * `names` are the definitions to check. An empty list selects all definitions with a contract label. Throws UsageError
 * if the definitions cannot be listed.
 */
export async function readLive(
  reads: Pick<Reads, 'list'>,
  { names, server }: { readonly names: readonly string[]; readonly server: string },
): Promise<Live> {
  const listed = await reads.list(definitionKind);
  if (!listed.ok) {
    throw new UsageError(`Listing the definitions of ${server} failed: ${listed.failure.message}`);
  }
  const chosen = listed.value.filter(({ metadata }) =>
    names.length === 0 ? chooseContract(metadata).ok : names.includes(metadata.name),
  );
  const absent = names.filter(name => !chosen.some(({ metadata }) => metadata.name === name));
  const roles = await reads.list({ ...roleKind, labels: managerLabel });
  const objects = await Promise.all(chosen.map(toIntent).map(each => readObjects(reads, readDefinition(each))));
  return {
    items: [
      ...[...chosen.map(toIntent), ...(roles.ok ? roles.value.map(toIntent) : [])],
      ...objects.flatMap(({ found }) => found),
    ].map(object => toItem(object, server)),
    notes: [
      ...absent.map(name => `${name} is not installed on ${server}: its objects were not checked`),
      ...(roles.ok ? [] : [`ClusterRoles of ${server} could not be listed: ${roles.failure.message}`]),
      ...objects.flatMap(({ notes }) => notes),
    ],
  };
}

async function readObjects(
  reads: Pick<Reads, 'list'>,
  definition: ContractDefinition,
): Promise<{ readonly found: readonly Intent[]; readonly notes: readonly string[] }> {
  const { group, kind, part } = definition;
  const version = publishedOf(definition)[0]?.version.name;
  if (version === undefined || part === undefined || part.isTemplate) {
    return { found: [], notes: [] };
  }
  const listed = await reads.list({ apiVersion: toApiVersion({ group, version }), kind });
  return listed.ok
    ? { found: listed.value.map(toIntent), notes: [] }
    : { found: [], notes: [`${kind} objects could not be listed: ${listed.failure.message}`] };
}

function toIntent(object: Unstructured): Intent {
  return { ...object, metadata: { ...object.metadata } };
}

function toItem(object: Intent, server: string): Item {
  const name = `${object.kind} ${toDisplayName(object.metadata)}`;
  return {
    object,
    toFinding: ({ severity, field, message }) => ({
      file: server,
      severity,
      object: name,
      ...(field === '' ? {} : { field }),
      message,
    }),
  };
}
