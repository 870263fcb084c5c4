// The manifests that the synthesis writes for each deployment.
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { declarations } from '../../functions/declarations.ts';
import { parseDeployments } from '../../infra/aws/deployment.ts';
import { toRights } from '../../infra/aws/deployment-rights.ts';
import { eksDeployment } from '../support/synthesised.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function manifestsOf(...given: readonly object[]): readonly (readonly Manifest[])[] {
  const { apiServer, vpc } = eksDeployment;
  const deployments = parseDeployments(given.map((one, at) => ({ name: `capi-${at}`, apiServer, vpc, ...one })));
  return [...toRights(deployments, declarations).values()].map(text =>
    parseAllDocuments(text).map(document => document.toJS()),
  );
}

const namesOf = (manifests: readonly Manifest[] = []): readonly string[] =>
  manifests.filter(({ kind }) => kind === 'ClusterRole').map(({ metadata }) => metadata.name);
const secretNamespacesOf = (manifests: readonly Manifest[] = []): readonly (string | undefined)[] =>
  manifests
    .filter(({ kind, metadata }) => kind === 'RoleBinding' && metadata.name === 'capi-serverless-cluster-secrets')
    .map(({ metadata }) => metadata.namespace);

it('a deployment has the roles of its feature gates', () => {
  const [plain, extended] = ['', 'RuntimeSDK=true'].map(featureGates => manifestsOf({ settings: { featureGates } })[0]);
  expect(namesOf(plain)).not.toContain('capi-serverless-extensionconfig');
  expect(namesOf(extended)).toContain('capi-serverless-extensionconfig');
});

it('a deployment may use Secrets only in its namespaces', () => {
  const [manifests] = manifestsOf({ secretNamespaces: ['team-b', 'team-a'] });
  expect(secretNamespacesOf(manifests)).toEqual(['team-a', 'team-b']);
  expect(secretNamespacesOf(manifestsOf({})[0])).toEqual([]);
});

it('deployments of one cluster have the same roles, because the roles have the same names', () => {
  const first = { settings: { watchFilter: 'a', featureGates: 'RuntimeSDK=true' }, secretNamespaces: ['team-a'] };
  const second = { settings: { watchFilter: 'b', stateNamespace: 'states' }, secretNamespaces: ['team-b'] };
  const [one, other] = manifestsOf(first, second);
  expect(one).toEqual(other);
  expect(namesOf(one)).toContain('capi-serverless-extensionconfig');
  expect(secretNamespacesOf(one)).toEqual(['team-a', 'team-b']);
  const states = one?.filter(({ metadata }) => metadata.name === 'capi-serverless-windowed-forwarder-state');
  expect(states?.map(({ metadata }) => metadata.namespace)).toEqual([undefined, 'kube-system', 'states']);
  expect(secretNamespacesOf(manifestsOf(first, { ...second, secretNamespaces: undefined })[0])).toEqual([]);
});

it.each(['', 'Team', 'a.b'])('a namespace that does not exist is refused: "%s"', namespace => {
  expect(() => manifestsOf({ secretNamespaces: [namespace] })).toThrow(/secretNamespaces.*must be a namespace/);
});
