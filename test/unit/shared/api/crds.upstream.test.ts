// Compares the definitions of this project with those of a Cluster API release, if CAPI_RELEASED_CRDS names their folder.
import { readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../../../infra/bundles/bundle.ts';
import { clusterCrd } from '../../../../shared/api/cluster/crd.ts';
import { coreCrds } from '../../../../shared/api/crds.ts';
import type { CustomResourceDefinition } from '../../../../shared/api/schema/definition.ts';
import { type FieldFacts, flatten } from './flat-schema.ts';

const named = process.env['CAPI_RELEASED_CRDS'] ?? '';
const folder = path.resolve(projectRoot, named);
const present = named !== '';
if (!present) {
  // Writes to the file descriptor, because the test runner adds three lines to each console line.
  writeSync(2, 'Skipped "compared with the release, our definition": CAPI_RELEASED_CRDS names no folder\n');
}

function readUpstream(crd: CustomResourceDefinition): CustomResourceDefinition {
  // True: the file contains a CustomResourceDefinition. A wrong file fails the comparison.
  return parse(readFileSync(path.join(folder, `${crd.metadata.name}.yaml`), 'utf8')) as CustomResourceDefinition;
}

function onlyVersion(crd: CustomResourceDefinition) {
  const [version, ...others] = crd.spec.versions;
  if (version === undefined || others.length > 0) {
    throw new Error(`${crd.metadata.name} has ${crd.spec.versions.length} versions instead of one`);
  }
  return version;
}

function fieldsOf(crd: CustomResourceDefinition): ReadonlyMap<string, FieldFacts> {
  return flatten(onlyVersion(crd).schema.openAPIV3Schema);
}

/** Compares only the expression of a rule, because the messages differ. */
function withoutMessages(facts: FieldFacts): FieldFacts {
  const rules = facts['x-kubernetes-validations'];
  return Array.isArray(rules)
    ? { ...facts, 'x-kubernetes-validations': rules.map((rule: { readonly rule: string }) => rule.rule) }
    : facts;
}

describe.skipIf(!present)('compared with the release, our definition', () => {
  test.each(coreCrds.map(crd => [crd.spec.names.kind, crd] as const))(
    'of %s has the same names, subresources and columns',
    (_kind, crd) => {
      const upstream = readUpstream(crd);
      expect(crd.spec.names).toEqual(upstream.spec.names);
      expect(crd.spec.scope).toBe(upstream.spec.scope);
      expect(onlyVersion(crd).name).toBe(onlyVersion(upstream).name);
      expect(onlyVersion(crd).subresources).toEqual(onlyVersion(upstream).subresources);
      const columns = onlyVersion(upstream).additionalPrinterColumns;
      expect(onlyVersion(crd).additionalPrinterColumns).toEqual(
        columns.map(({ name, type, jsonPath, priority }) => ({
          name,
          type,
          jsonPath,
          ...(priority === undefined ? {} : { priority }),
        })),
      );
    },
  );

  test.each(coreCrds.map(crd => [crd.spec.names.kind, crd] as const))(
    'of %s has the same fields with the same types, list types and limits',
    (_kind, crd) => {
      const upstream = fieldsOf(readUpstream(crd));
      const ours = fieldsOf(crd);
      expect([...ours.keys()].toSorted()).toEqual([...upstream.keys()].toSorted());
      for (const [path, facts] of ours) {
        expect({ path, ...withoutMessages(facts) }).toEqual({ path, ...withoutMessages(upstream.get(path) ?? {}) });
      }
    },
  );

  test('the comparison covers all fields of Cluster', () => {
    const paths = [...fieldsOf(clusterCrd).keys()];
    expect(paths).toContain('.spec.topology.workers.machineDeployments[].variables.overrides[].value');
    expect(paths).toContain('.status.deprecated.v1beta1.conditions[].severity');
  });
});
