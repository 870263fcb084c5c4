// Scenarios 1 to 4 of ExtensionConfig, and the other rules of its webhook.

import { printFieldError } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { defaultExtensionConfig, denialOfExtensionConfig } from '../../../../shared/admission/extension-config.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';

const service = { name: 's', namespace: 'n' };
const byService = anExtensionConfig().withService(service);

function problemsOf(config: ReturnType<typeof anExtensionConfig>, runtimeSdk = true): readonly string[] {
  const denial = denialOfExtensionConfig(config.build(), { runtimeSdk });
  return denial?.reason === 'Forbidden' ? [denial.message] : (denial?.errors ?? []).map(printFieldError);
}

describe('defaults', () => {
  it.each([
    {
      spec: { clientConfig: { url: 'https://h' }, settings: { k: 'v' } },
      defaulted: { clientConfig: { url: 'https://h' }, settings: { k: 'v' }, namespaceSelector: {} },
      reason: 'no selector is that of everything',
    },
    {
      spec: { clientConfig: { service }, namespaceSelector: { matchLabels: { a: 'b' } } },
      defaulted: {
        clientConfig: { service: { ...service, port: 443 } },
        namespaceSelector: { matchLabels: { a: 'b' } },
      },
      reason: 'a Service without port is reached at 443',
    },
    {
      spec: { clientConfig: { service: { name: '', namespace: '' } }, namespaceSelector: {} },
      defaulted: { clientConfig: { service: { name: '', namespace: '' } }, namespaceSelector: {} },
      reason: 'a Service without fields is absent',
    },
    {
      spec: { clientConfig: { service: { namespace: 'n' } }, namespaceSelector: {} },
      defaulted: { clientConfig: { service: { namespace: 'n', port: 443 } }, namespaceSelector: {} },
      reason: 'a Service with a namespace only has a port',
    },
    {
      spec: { clientConfig: { service: { ...service, port: 1 } }, namespaceSelector: {} },
      defaulted: { clientConfig: { service: { ...service, port: 1 } }, namespaceSelector: {} },
      reason: 'what is given stays',
    },
  ])('$reason', ({ spec, defaulted }) => {
    const object = { ...anExtensionConfig().build(), spec };
    expect(defaultExtensionConfig(object)).toEqual({ ...object, spec: defaulted });
  });
});

describe('what is refused', () => {
  const label = 'ExtensionConfig name should be a valid DNS1123 label name';
  const url = 'spec.clientConfig.url: Invalid value';
  it.each([
    { config: anExtensionConfig(), problems: [], reason: 'a URL alone is fine' },
    { config: byService, problems: [], reason: 'a Service alone is fine' },
    {
      config: anExtensionConfig().named('a.b'),
      problems: [`metadata.name: Invalid value: "a.b": ${label}: [must not contain dots]`],
      reason: 'the name is a label',
    },
    {
      config: anExtensionConfig().withSpec({ clientConfig: { url: 'https://h', service } }),
      problems: ['spec.clientConfig: Forbidden: only one of url or service can be defined'],
      reason: 'both',
    },
    {
      config: anExtensionConfig().withSpec({ clientConfig: { caBundle: 'UEVN' } }),
      problems: ['spec.clientConfig: Required value: either url or service must be defined'],
      reason: 'neither',
    },
    {
      config: anExtensionConfig().withUrl('http://h'),
      problems: [`${url}: "http://h": 'https' is the only allowed URL scheme, e.g. https://example.com`],
      reason: 'another scheme',
    },
    {
      config: anExtensionConfig().withUrl('/path'),
      problems: [`${url}: "/path": 'https' is the only allowed URL scheme, e.g. https://example.com`],
      reason: 'a path has no scheme',
    },
    {
      config: anExtensionConfig().withUrl('h.example'),
      problems: [
        `${url}: "h.example": must be a valid URL, e.g. https://example.com: parse "h.example": invalid URI for request`,
      ],
      reason: 'no URL',
    },
    {
      config: anExtensionConfig().withUrl('https://u:p@h/?q=1#f'),
      problems: [],
      reason: 'documented as not allowed, but not refused',
    },
    {
      config: anExtensionConfig().withService({ name: '1s', namespace: 'n.m', path: 'p', port: 0 }),
      problems: [
        expect.stringContaining('spec.clientConfig.service.name: Invalid value: "1s": a DNS-1035 label must'),
        'spec.clientConfig.service.namespace: Invalid value: "n.m": must not contain dots',
        'spec.clientConfig.service.path: Invalid value: "p": must be a valid URL path e.g. /path/to/hook: parse "p": invalid URI for request',
        'spec.clientConfig.service.path: Invalid value: "p": must start with "/" to be a valid URL path',
        'spec.clientConfig.service.port: Invalid value: 0: must be between 1 and 65535, inclusive',
      ],
      reason: 'everything wrong with a Service at once',
    },
    {
      config: anExtensionConfig().withService({ name: '', namespace: '', port: 65_536 }),
      problems: [
        'spec.clientConfig.service.name: Required value: must not be empty',
        expect.stringContaining('spec.clientConfig.service.name: Invalid value: "": a DNS-1035 label must'),
        'spec.clientConfig.service.namespace: Required value: must not be empty',
        expect.stringContaining('spec.clientConfig.service.namespace: Invalid value: "": a lowercase RFC 1123 label'),
        'spec.clientConfig.service.port: Invalid value: 65536: must be between 1 and 65535, inclusive',
      ],
      reason: 'nothing at all',
    },
    {
      config: anExtensionConfig().withService({ ...service, path: 'https://h/p' }),
      problems: [
        'spec.clientConfig.service.path: Invalid value: "https://h/p": must start with "/" to be a valid URL path',
      ],
      reason: 'a URL as path of a Service',
    },
    {
      config: anExtensionConfig().withSpec({ clientConfig: { url: '', service: { path: '/p' } } }),
      problems: [
        'spec.clientConfig.service.name: Required value: must not be empty',
        expect.stringContaining('spec.clientConfig.service.name: Invalid value: ""'),
        'spec.clientConfig.service.namespace: Required value: must not be empty',
        expect.stringContaining('spec.clientConfig.service.namespace: Invalid value: ""'),
      ],
      reason: 'a Service with a path only, and an empty URL',
    },
    {
      config: anExtensionConfig().withService({ ...service, path: '/p', port: 65_535 }),
      problems: [],
      reason: 'the largest port, and a path',
    },
    {
      config: anExtensionConfig().withSpec({ namespaceSelector: undefined }),
      problems: ['spec.namespaceSelector: Required value: must be defined'],
      reason: 'a selector is there after the defaults',
    },
    {
      config: anExtensionConfig().withSpec({ namespaceSelector: { matchExpressions: [{ key: 'k', operator: 'Is' }] } }),
      problems: [expect.stringContaining('"Is" is not a valid label selector operator')],
      reason: 'a selector that is none',
    },
  ])('$reason', ({ config, problems }) => {
    expect(problemsOf(config)).toEqual(problems);
  });

  it('everything, while the feature gate is off', () => {
    expect(problemsOf(anExtensionConfig().named('a.b'), false)).toEqual([
      'spec: Forbidden: can be set only if the RuntimeSDK feature flag is enabled',
    ]);
  });
});

describe('the reason of a refusal', () => {
  it('is a text without the feature gate, and otherwise the errors', () => {
    const config = byService.build();
    expect(denialOfExtensionConfig(config, { runtimeSdk: false })).toEqual({
      reason: 'Forbidden',
      message: 'spec: Forbidden: can be set only if the RuntimeSDK feature flag is enabled',
    });
    const { spec, ...rest } = config;
    const unselecting = { ...rest, spec: { ...Object(spec), namespaceSelector: undefined } };
    expect(denialOfExtensionConfig(unselecting, { runtimeSdk: true })).toMatchObject({
      reason: 'Invalid',
      errors: [{ field: 'spec.namespaceSelector' }],
    });
    expect(denialOfExtensionConfig(anExtensionConfig().withService(service).build(), { runtimeSdk: true })).toBe(
      undefined,
    );
  });
});
