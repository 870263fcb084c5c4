import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { manifestsOf } from '../../../../infra/kubernetes/installation.ts';
import { installedFolders, optionalFolders } from '../../../../infra/kubernetes/installed-folders.ts';
import { generatedFolders, outputs } from '../../../../infra/kubernetes/outputs.ts';

const optional = Object.values(optionalFolders).flat();

describe('the folders of an installation', () => {
  it.each([...installedFolders, ...optional])('%s is generated, and has manifests', folder => {
    expect(generatedFolders.some(each => `${folder}/`.startsWith(`${each}/`))).toBe(true);
    expect(manifestsOf([folder]).length).toBeGreaterThan(0);
  });

  it('do not contain the folders in them, nor kustomizations', () => {
    const names = manifestsOf(['crds', 'account']).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(outputs.some(({ path }) => path.startsWith('crds/simulated/'))).toBe(true);
    expect(names.filter(name => /simulated|Kustomization/.test(name))).toEqual([]);
  });

  it('have each object once', () => {
    const namespaces = manifestsOf(['clusterctl', 'account']).filter(({ kind }) => kind === 'Namespace');
    expect(namespaces.map(({ metadata }) => metadata.name)).toEqual(['capi-serverless']);
  });

  it('have the policies of the default feature gates', () => {
    const text = outputs.find(({ path }) => path === 'policies/default-gates/kustomization.yaml')?.text ?? '';
    const { resources }: { readonly resources: readonly string[] } = parse(text);
    expect(optionalFolders['policies']).toEqual(resources.map(resource => resource.replace('..', 'policies')));
  });

  it('name the namespace of each object of a namespaced kind', () => {
    const namespaced = new Set(['Provider', 'RoleBinding', 'ServiceAccount']);
    for (const { kind, metadata } of manifestsOf([...installedFolders, ...optional])) {
      expect(metadata.namespace !== undefined, `${kind} ${metadata.name}`).toBe(namespaced.has(kind));
    }
  });
});
