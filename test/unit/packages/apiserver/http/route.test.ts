import { describe, expect, it } from 'vitest';
import { parsePath } from '../../../../../packages/apiserver/http/route.ts';

const core = { type: 'resource', group: '', version: 'v1' };
const custom = { type: 'resource', group: 'g.io', version: 'v1' };

describe('the path of a request', () => {
  it.each([
    ['/api/v1/namespaces', { ...core, plural: 'namespaces' }, 'the collection of namespaces'],
    ['/api/v1/namespaces/a', { ...core, plural: 'namespaces', name: 'a' }, 'a namespace itself'],
    ['/api/v1/namespaces/a/', { ...core, plural: 'namespaces', name: 'a' }, 'a trailing slash does not count'],
    ['/api/v1/namespaces/a/finalize', { ...core, plural: 'namespaces', name: 'a', subresource: 'finalize' }, ''],
    ['/api/v1/namespaces/a/status', { ...core, plural: 'namespaces', name: 'a', subresource: 'status' }, ''],
    ['/api/v1/namespaces/a/secrets', { ...core, namespace: 'a', plural: 'secrets' }, ''],
    ['/api/v1/namespaces/a/secrets/b', { ...core, namespace: 'a', plural: 'secrets', name: 'b' }, ''],
    ['/api/v1/secrets', { ...core, plural: 'secrets' }, 'across all namespaces'],
    ['/apis/g.io/v1/widgets/b', { ...custom, plural: 'widgets', name: 'b' }, 'cluster-scoped'],
    [
      '/apis/g.io/v1/namespaces/a/widgets/b/status',
      { ...custom, namespace: 'a', plural: 'widgets', name: 'b', subresource: 'status' },
      '',
    ],
    ['/apis/g.io/v1/namespaces/a/status', { ...custom, namespace: 'a', plural: 'status' }, 'only core has namespaces'],
    ['/apis/g.io/v1/widgets/a%3Ab', { ...custom, plural: 'widgets', name: 'a:b' }, 'percent-encoded'],
    ['/', { type: 'root' }, ''],
    ['/api', { type: 'core versions' }, ''],
    ['/apis/', { type: 'groups' }, ''],
    ['/apis/g.io', { type: 'group', group: 'g.io' }, ''],
    ['/apis/g.io/v1', { type: 'resources', group: 'g.io', version: 'v1' }, ''],
    ['/api/v1', { type: 'resources', group: '', version: 'v1' }, ''],
    ['/openapi/v3', { type: 'openapi index' }, ''],
    ['/openapi/v3/api/v1', { type: 'openapi document', group: '', version: 'v1' }, ''],
    ['/openapi/v3/apis/g.io/v1', { type: 'openapi document', group: 'g.io', version: 'v1' }, ''],
    ['/readyz', { type: 'health' }, ''],
  ])('%s is understood', (path, route, _reason) => {
    expect(parsePath(path)).toEqual(route);
  });

  it.each([
    ['/api/v1/namespaces/a/secrets/b/status/more', 'too long'],
    ['/apis/g.io/v1/namespaces/a', 'a namespace without a resource'],
    ['/apis/g.io//widgets', 'an empty segment'],
    ['/apis/g.io/v1/widgets/%zz', 'cannot be decoded'],
    ['/apis/g.io/v1/widgets/a%2Fb', 'a slash inside a name'],
    ['/openapi/v3/apis/g.io/v1/more', 'too long'],
    ['/constructor', 'a member of every object'],
    ['/metrics', 'not offered'],
  ])('%s leads nowhere: %s', path => {
    expect(parsePath(path)).toBeUndefined();
  });
});
