// Determines whether an ExtensionConfig may be created or changed, and sets its defaults. The rules are those of
// Cluster API's webhook. The deletion is never refused.
// https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/deploy-runtime-extension

import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  type FieldError,
  forbidden,
  invalidValue,
  requiredValue,
  selectorProblem,
  toPrintedSelector,
  toRecord,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { type ClientConfig, readExtensionConfig } from '../api/extension-config/reader.ts';
import { type AdmissionGates, denialBehindGate } from './cluster-class.ts';
import type { Denial } from './kinds/kind-rules.ts';

const defaultPort = 443;
const largestPort = 65_535;
const path = 'spec.clientConfig';

/** Sets a selector of all namespaces and port 443 of the Service if they are absent. Other fields do not change. */
export function defaultExtensionConfig<T extends { readonly spec?: unknown }>(object: T): T {
  const spec = toRecord(object.spec);
  const clientConfig = toRecord(spec['clientConfig']);
  const { service } = clientConfig;
  const ported =
    service === undefined
      ? clientConfig
      : { ...clientConfig, service: { ...toRecord(service), port: toRecord(service)['port'] ?? defaultPort } };
  return {
    ...object,
    spec: { ...spec, clientConfig: ported, namespaceSelector: spec['namespaceSelector'] ?? {} },
  };
}

/** Returns all problems of the object as it will be stored, in order. */
function admitExtensionConfig(
  object: Unstructured,
  gates: Pick<AdmissionGates, 'runtimeSdk'>,
): readonly FieldError[] {
  if (!gates.runtimeSdk) {
    return [forbidden('spec', 'can be set only if the RuntimeSDK feature flag is enabled')];
  }
  const { metadata, spec } = readExtensionConfig(object);
  const { clientConfig, namespaceSelector } = spec;
  return [
    ...nameProblems(metadata.name),
    ...targetProblems(clientConfig),
    ...(clientConfig.url === undefined ? [] : urlProblems(clientConfig.url)),
    ...(clientConfig.service === undefined ? [] : serviceProblems(clientConfig.service)),
    ...(namespaceSelector === undefined
      ? [requiredValue('spec.namespaceSelector', 'must be defined')]
      : selectorProblems(namespaceSelector)),
  ];
}

/** Returns the reason why the object as it will be stored is refused, or `undefined`. */
export function denialOfExtensionConfig(
  object: Unstructured,
  gates: Pick<AdmissionGates, 'runtimeSdk'>,
): Denial | undefined {
  return denialBehindGate(gates.runtimeSdk, admitExtensionConfig(object, gates));
}

function nameProblems(name: string): readonly FieldError[] {
  const problems = dns1123LabelProblems(name);
  const text = `ExtensionConfig name should be a valid DNS1123 label name: [${problems.join(' ')}]`;
  return problems.length === 0 ? [] : [invalidValue('metadata.name', name, text)];
}

function targetProblems({ url, service }: ClientConfig): readonly FieldError[] {
  if (url === undefined && service === undefined) {
    return [requiredValue(path, 'either url or service must be defined')];
  }
  const isBoth = url !== undefined && service !== undefined;
  return isBoth ? [forbidden(path, 'only one of url or service can be defined')] : [];
}

function urlProblems(url: string): readonly FieldError[] {
  const parsed = URL.parse(url);
  if (parsed === null && !url.startsWith('/')) {
    const why = `parse ${JSON.stringify(url)}: invalid URI for request`;
    return [invalidValue(`${path}.url`, url, `must be a valid URL, e.g. https://example.com: ${why}`)];
  }
  const text = "'https' is the only allowed URL scheme, e.g. https://example.com";
  return parsed?.protocol === 'https:' ? [] : [invalidValue(`${path}.url`, url, text)];
}

function serviceProblems(service: NonNullable<ClientConfig['service']>): readonly FieldError[] {
  const { name, namespace, path: prefix, port } = service;
  const of = (field: string, value: string, problems: readonly string[]): readonly FieldError[] => [
    ...(value === '' ? [requiredValue(`${path}.service.${field}`, 'must not be empty')] : []),
    ...problems.map(problem => invalidValue(`${path}.service.${field}`, value, problem)),
  ];
  return [
    ...of('name', name, dns1035LabelProblems(name)),
    ...of('namespace', namespace, dns1123LabelProblems(namespace)),
    ...(prefix === undefined || prefix.startsWith('/')
      ? []
      : [invalidValue(`${path}.service.path`, prefix, 'must start with "/" to be a valid URL path')]),
    ...(port === undefined || (port >= 1 && port <= largestPort)
      ? []
      : [invalidValue(`${path}.service.port`, port, `must be between 1 and ${largestPort}, inclusive`)]),
  ];
}

function selectorProblems(selector: Parameters<typeof selectorProblem>[0]): readonly FieldError[] {
  const problem = selectorProblem(selector);
  return problem === undefined ? [] : [invalidValue('spec.namespaceSelector', toPrintedSelector(selector), problem)];
}
