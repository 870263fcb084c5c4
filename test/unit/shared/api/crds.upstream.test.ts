// Compares the definitions of this project with those of a Cluster API release, if CAPI_RELEASED_CRDS names their folders.
import { existsSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../../../infra/bundles/bundle.ts';
import { clusterCrd } from '../../../../shared/api/cluster/crd.ts';
import { clusterctlProviderCrd } from '../../../../shared/api/clusterctl-provider/crd.ts';
import { usedCrds } from '../../../../shared/api/crds.ts';
import { ipAddressCrd } from '../../../../shared/api/ip-address/crd.ts';
import { ipAddressClaimCrd } from '../../../../shared/api/ip-address-claim/crd.ts';
import type { CustomResourceDefinition } from '../../../../shared/api/schema/definition.ts';
import { type FieldFacts, flatten } from './flat-schema.ts';

const named = process.env['CAPI_RELEASED_CRDS'] ?? '';
const folders = named === '' ? [] : named.split(path.delimiter).map(folder => path.resolve(projectRoot, folder));
const present = folders.length > 0;
if (!present) {
  // Writes to the file descriptor, because the test runner adds three lines to each console line.
  writeSync(2, 'Skipped "compared with the release, our definition": CAPI_RELEASED_CRDS names no folder\n');
}

/** The files of a release are named for the definition. Those of its sources begin with the group. */
function findUpstream({ metadata: { name }, spec: { group, names } }: CustomResourceDefinition): string | undefined {
  const files = [`${name}.yaml`, `${group}_${names.plural}.yaml`];
  return folders.flatMap(folder => files.map(file => path.join(folder, file))).find(file => existsSync(file));
}

function readUpstream(crd: CustomResourceDefinition): CustomResourceDefinition {
  // True: the file contains a CustomResourceDefinition. A wrong file fails the comparison.
  return parse(readFileSync(findUpstream(crd) ?? crd.metadata.name, 'utf8')) as CustomResourceDefinition;
}

function storedVersion(crd: CustomResourceDefinition) {
  const version = crd.spec.versions.find(({ storage }) => storage);
  if (version === undefined) {
    throw new Error(`${crd.metadata.name} stores no version`);
  }
  return version;
}

function fieldsOf(crd: CustomResourceDefinition): ReadonlyMap<string, FieldFacts> {
  return flatten(storedVersion(crd).schema.openAPIV3Schema);
}

/** Compares only the expression of a rule, because the messages differ. */
function withoutMessages(facts: FieldFacts): FieldFacts {
  const rules = facts['x-kubernetes-validations'];
  return Array.isArray(rules)
    ? { ...facts, 'x-kubernetes-validations': rules.map((rule: { readonly rule: string }) => rule.rule) }
    : facts;
}

/** Kinds that this project installs, and does not reconcile. Folders of before have no definitions of them. */
const further: readonly CustomResourceDefinition[] = [ipAddressCrd, ipAddressClaimCrd, clusterctlProviderCrd];
const compared = [...usedCrds, ...further.filter(crd => findUpstream(crd) !== undefined)].map(
  crd => [crd.spec.names.kind, crd] as const,
);

describe.skipIf(!present)('compared with the release, our definition', () => {
  test.each(compared)('of %s has the same names, subresources and columns', (_kind, crd) => {
    const upstream = readUpstream(crd);
    expect(crd.spec.names).toEqual(upstream.spec.names);
    expect(crd.spec.scope).toBe(upstream.spec.scope);
    expect(storedVersion(crd).name).toBe(storedVersion(upstream).name);
    expect(storedVersion(crd).subresources).toEqual(storedVersion(upstream).subresources);
    const columns = storedVersion(upstream).additionalPrinterColumns;
    expect(storedVersion(crd).additionalPrinterColumns).toEqual(
      columns.map(({ name, type, jsonPath, priority }) => ({
        name,
        type,
        jsonPath,
        ...(priority === undefined ? {} : { priority }),
      })),
    );
  });

  test.each(compared)('of %s has the same fields with the same types, list types and limits', (_kind, crd) => {
    const upstream = fieldsOf(readUpstream(crd));
    const ours = fieldsOf(crd);
    expect([...ours.keys()].toSorted()).toEqual([...upstream.keys()].toSorted());
    for (const [path, facts] of ours) {
      expect({ path, ...withoutMessages(facts) }).toEqual({ path, ...withoutMessages(upstream.get(path) ?? {}) });
    }
  });

  test('the comparison covers all fields of Cluster', () => {
    const paths = [...fieldsOf(clusterCrd).keys()];
    expect(paths).toContain('.spec.topology.workers.machineDeployments[].variables.overrides[].value');
    expect(paths).toContain('.status.deprecated.v1beta1.conditions[].severity');
  });
});
