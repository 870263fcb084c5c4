// Definitions without contract labels, as code generators write them. kustomize adds the labels.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkContractOnce } from '../../../../cli/check-contract/check-contract-once.ts';
import { parseContractOptions } from '../../../../cli/check-contract/options.ts';
import { checkFiles } from '../../../../local/contract-check/check-contract.ts';
import { contractLabelsOf } from '../../../../local/contract-check/kustomizations.ts';
import { coreCrds } from '../../../../shared/api/crds.ts';
import { type Definition, definitionOf } from '../../../support/provider-definitions.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io';
const contracts = ['v1beta1', 'v1beta2'] as const;

function withoutLabels({ metadata: { name }, ...definition }: Definition): Definition {
  return { ...definition, metadata: { name } };
}

function messagesOf(definition: Definition): readonly string[] {
  const { findings } = checkFiles([{ name: 'crd.yaml', text: stringify(definition) }]);
  return findings.map(({ severity, message }) => `${severity}: ${message}`);
}

describe('a definition without a contract label', () => {
  test.each(contracts)('has the fields of %s: only the label is missing', contract => {
    const messages = messagesOf(withoutLabels(definitionOf({ kind: 'RockCluster', group: infrastructure, contract })));
    expect(messages).toEqual([expect.stringMatching(/^error: .*has no contract label.*write cluster\.x-k8s\.io\//)]);
  });

  test.each(contracts)('of %s with a field of another type: the field is reported as well', contract => {
    const spec = { controlPlaneEndpoint: { type: 'string' } };
    const messages = messagesOf(
      withoutLabels(definitionOf({ kind: 'RockCluster', group: infrastructure, contract, spec })),
    );
    expect(messages).toHaveLength(2);
    expect(messages.join('\n')).toMatch(/is string, but the contract has an object there/);
  });
});

describe("Cluster API's own definitions", () => {
  test('have no role in the provider contract, although their kinds are called like those of providers', () => {
    const { findings, notes } = checkFiles(
      coreCrds.map(crd => ({ name: `${crd.metadata.name}.yaml`, text: stringify(crd) })),
    );
    expect(findings).toEqual([]);
    expect(notes).toContain("Cluster is Cluster API's own: its fields were not checked");
    expect(notes).toContain("ClusterResourceSet is Cluster API's own: its fields were not checked");
  });
});

describe('contract labels in a kustomization file', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-kustomize-'));
    mkdirSync(path.join(folder, 'crd/bases'), { recursive: true });
    const definition = definitionOf({ kind: 'RockCluster', group: infrastructure, contract: 'v1beta1' });
    writeFileSync(path.join(folder, 'crd/bases/rockclusters.yaml'), stringify(withoutLabels(definition)));
    writeFileSync(
      path.join(folder, 'crd/kustomization.yaml'),
      'commonLabels:\n  cluster.x-k8s.io/v1beta1: v1beta1\nresources: [bases/rockclusters.yaml]\n',
    );
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
    const options = parseContractOptions(args);
    let text = '';
    const print = (part: string): void => {
      text += part;
    };
    return options === 'help' ? { code: -1, text } : { code: await checkContractOnce(options, print), text };
  }

  test.each(['crd', 'crd/bases', 'crd/bases/rockclusters.yaml'])('apply to %s: a warning names the file', async of => {
    const { code, text } = await run(path.join(folder, of));
    expect(text).toMatch(/warning: .*has no contract label here; .*crd[/\\]kustomization\.yaml adds it/);
    expect(text).not.toContain('error:');
    expect(code).toBe(0);
  });

  test('fail with --strict', async () => {
    expect((await run('--strict', path.join(folder, 'crd'))).code).toBe(1);
  });

  test.each([
    { text: 'labels:\n- pairs: {cluster.x-k8s.io/v1beta2: v1}', labels: { 'cluster.x-k8s.io/v1beta2': 'v1' } },
    { text: 'commonLabels: {app: x}', labels: {} },
    { text: 'labels: 5\ncommonLabels: []', labels: {} },
    { text: '{', labels: {} },
    { text: '', labels: {} },
  ])('are $labels in $text', ({ text, labels }) => {
    expect(contractLabelsOf(text)).toEqual(labels);
  });
});
