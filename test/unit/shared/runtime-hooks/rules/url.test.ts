import { describe, expect, it } from 'vitest';
import type { ClientConfig } from '../../../../../shared/api/extension-config/reader.ts';
import { toHookUrl } from '../../../../../shared/runtime-hooks/rules/url.ts';

const nothing: ClientConfig = { url: undefined, service: undefined, caBundle: '' };
const discovery = { hook: { name: 'Discovery' }, timeoutSeconds: 10 };
const variables = { hook: { name: 'DiscoverVariables' }, handler: 'My-H', timeoutSeconds: 10 };
const service = { name: 's', namespace: 'n', port: 443, path: '/p/' };
const end = 'hooks.runtime.cluster.x-k8s.io/v1alpha1/discovery';

function urlOf(
  config: Partial<ClientConfig>,
  route: Parameters<typeof toHookUrl>[1] = discovery,
  services = 'dns' as const,
) {
  const url = toHookUrl({ ...nothing, ...config }, route, { services });
  return url.ok ? url.value : `! ${url.error}`;
}

describe('the URL of a call', () => {
  it('is built from the Service, with hook and handler in lower case', () => {
    expect(urlOf({ service }, variables)).toBe(
      'https://s.n.svc:443/p/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovervariables/my-h?timeout=10s',
    );
  });

  it('keeps path and query of a given URL', () => {
    expect(urlOf({ url: 'https://h:1/pre/?q=1' })).toBe(`https://h:1/pre/${end}?q=1&timeout=10s`);
  });

  it.each([
    { url: 'https://h', is: `https://h/${end}?timeout=10s`, reason: 'no port' },
    { url: 'https://h:443', is: `https://h/${end}?timeout=10s`, reason: 'the usual port is left out' },
    { url: 'https://h//a///b/', is: `https://h/a/b/${end}?timeout=10s`, reason: 'slashes are cleaned' },
    { url: 'https://[::1]:3', is: `https://[::1]:3/${end}?timeout=10s`, reason: 'an IPv6 address' },
    {
      url: 'https://user:secret@h/#part',
      is: `https://h/${end}?timeout=10s`,
      reason: 'a password must not be shown',
    },
    { url: 'https://h?z=1&a=2', is: `https://h/${end}?a=2&timeout=10s&z=1`, reason: 'the query is sorted' },
    {
      url: 'http://h',
      is: '! spec.clientConfig.url has the scheme "http", only https is allowed',
      reason: 'plain HTTP',
    },
    { url: 'nonsense', is: '! spec.clientConfig.url is not a URL', reason: 'no URL' },
    { url: '', is: '! spec.clientConfig.url is not a URL', reason: 'an empty one' },
  ])('of $url is $is ($reason)', ({ url, is }) => {
    expect(urlOf({ url })).toBe(is);
  });

  it('needs no port and no path of a Service', () => {
    expect(urlOf({ service: { name: 's', namespace: 'n', path: undefined, port: undefined } })).toBe(
      `https://s.n.svc/${end}?timeout=10s`,
    );
  });

  it('has the port of a Service, if set', () => {
    expect(urlOf({ service: { ...service, port: 8443, path: undefined } })).toBe(
      `https://s.n.svc:8443/${end}?timeout=10s`,
    );
  });

  it('cannot be built from a Service with an invalid name', () => {
    expect(urlOf({ service: { ...service, name: 'a b' } })).toBe('! spec.clientConfig.service has no valid name');
  });

  it('contains the timeout of the handler', () => {
    expect(urlOf({ url: 'https://h' }, { ...discovery, timeoutSeconds: 30 })).toContain('?timeout=30s');
  });

  it('reports that Services cannot be called, with a remedy', () => {
    const url = toHookUrl({ ...nothing, service }, discovery, { services: 'refuse' });
    expect(url).toEqual({
      ok: false,
      error:
        'spec.clientConfig.service cannot be reached: functions are outside of the cluster network; set spec.clientConfig.url, or CAPI_EXTENSION_SERVICES=dns where <name>.<namespace>.svc leads to the Service',
    });
  });

  it('cannot be built without a URL or a Service', () => {
    expect(urlOf({})).toBe('! either spec.clientConfig.url or spec.clientConfig.service must be set');
  });
});
