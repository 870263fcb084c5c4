import { describe, expect, it } from 'vitest';
import {
  problemOf,
  type RequestTarget,
  toFieldSelector,
  toLabel,
  toLabelSelector,
  toPath,
  toQueryString,
} from '../../../../../shared/kubernetes/rest/urls.ts';

const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };
const secret = { apiVersion: 'v1', kind: 'Secret' };
const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

describe('the path of a request', () => {
  it.each<[reason: string, target: RequestTarget, path: string]>([
    [
      'a custom object stands below its group and namespace',
      { ...cluster, namespace: 'default', name: 'c1' },
      '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/c1',
    ],
    ['the core group has its own root', { ...secret, namespace: 'a', name: 'b' }, '/api/v1/namespaces/a/secrets/b'],
    ['without a name it is the collection', { ...secret, namespace: 'a' }, '/api/v1/namespaces/a/secrets'],
    ['without a namespace it is every namespace', cluster, '/apis/cluster.x-k8s.io/v1beta2/clusters'],
    [
      'a cluster-scoped object has no namespace',
      { ...crd, name: 'clusters.cluster.x-k8s.io' },
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusters.cluster.x-k8s.io',
    ],
    [
      'a Namespace is an object like others',
      { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' },
      '/api/v1/namespaces/kube-system',
    ],
    [
      'a subresource comes last',
      { ...cluster, namespace: 'n', name: 'c', subresource: 'status' },
      '/apis/cluster.x-k8s.io/v1beta2/namespaces/n/clusters/c/status',
    ],
    [
      'a plural from discovery replaces the usual one',
      { ...cluster, namespace: 'n', name: 'c', plural: 'clusterz' },
      '/apis/cluster.x-k8s.io/v1beta2/namespaces/n/clusterz/c',
    ],
    [
      'the kinds of a version have the path of the version',
      { ...cluster, kind: 'APIResourceList' },
      '/apis/cluster.x-k8s.io/v1beta2',
    ],
    [
      'special characters of URLs are escaped',
      { ...secret, namespace: 'a', name: 'b?c#d e' },
      '/api/v1/namespaces/a/secrets/b%3Fc%23d%20e',
    ],
  ])('%s', (_reason, target, path) => {
    expect(problemOf(target)).toBeUndefined();
    expect(toPath(target)).toBe(path);
  });

  it.each<[reason: string, target: RequestTarget, problem: string]>([
    ['an empty name would read the whole collection', { ...secret, namespace: 'a', name: '' }, 'name ""'],
    ['dots would leave the collection', { ...secret, namespace: 'a', name: '..' }, 'name ".."'],
    ['one dot would be cut off', { ...secret, namespace: 'a', name: '.' }, 'name "."'],
    ['a slash would name a subresource', { ...secret, namespace: 'a', name: 'b/status' }, 'name "b/status"'],
    ['the server forbids percent signs in names', { ...secret, namespace: 'a', name: 'b%2f' }, 'name "b%2f"'],
    ['an empty namespace would be another path', { ...secret, namespace: '', name: 'b' }, 'namespace ""'],
    ['a kind is needed', { apiVersion: 'v1', kind: '', name: 'b' }, 'apiVersion and kind'],
    ['a version is needed', { apiVersion: '', kind: 'Secret', name: 'b' }, 'apiVersion and kind'],
  ])('is rejected: %s', (_reason, target, problem) => {
    expect(problemOf(target)).toContain(problem);
  });
});

describe('the query of a request', () => {
  it('omits undefined parameters and escapes the rest', () => {
    const query = { limit: 500, force: true, continue: undefined, labelSelector: 'a=b,c=d&e' };
    expect(toQueryString(query)).toBe('?limit=500&force=true&labelSelector=a%3Db%2Cc%3Dd%26e');
  });

  it('is empty without parameters', () => {
    expect(toQueryString({ continue: undefined })).toBe('');
  });
});

describe('a label selector', () => {
  it('requires every label to be equal', () => {
    expect(toLabelSelector({ 'cluster.x-k8s.io/cluster-name': 'c', empty: '' })).toBe(
      'cluster.x-k8s.io/cluster-name=c,empty=',
    );
  });

  it('requires keys without a value', () => {
    expect(toLabelSelector({ a: 'b' }, ['example.com/c', 'd'])).toBe('a=b,example.com/c,d');
    expect(toLabelSelector(undefined, ['d'])).toBe('d');
  });

  it.each([[undefined], [{}]])('is omitted when there are no labels', labels => {
    expect(toLabelSelector(labels)).toBeUndefined();
  });
});

describe('a field selector', () => {
  it('requires every field to be equal, and escapes separators in values', () => {
    expect(toFieldSelector({ 'spec.nodeName': 'n1', 'spec.note': 'a,b=c\\' })).toBe(
      'spec.nodeName=n1,spec.note=a\\,b\\=c\\\\',
    );
  });

  it.each([[undefined], [{}]])('is omitted when there are no fields', fields => {
    expect(toFieldSelector(fields)).toBeUndefined();
  });
});

it('names verb, resource and object in messages', () => {
  expect(toLabel('patch', { ...cluster, namespace: 'n', name: 'c', subresource: 'status' })).toBe(
    'patch clusters.cluster.x-k8s.io/status n/c',
  );
  expect(toLabel('list', secret)).toBe('list secrets');
});
