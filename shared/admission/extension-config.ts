// Determines whether an ExtensionConfig may be created or changed, and sets its defaults. The rules are those of
// Cluster API's webhook. The deletion is never refused.
// https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/deploy-runtime-extension

import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  type FieldError,
  forbidden,
  invalidValue,
  quote,
  requiredValue,
  selectorProblem,
  toPrintedSelector,
  toRecord,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type * as z from 'zod/mini';
import { readExtensionConfig } from '../api/extension-config/reader.ts';
import { count, section, textOrEmpty } from '../api/fields.ts';
import { type AdmissionGates, denialBehindGate } from './cluster-class.ts';
import type { Denial } from './kinds/kind-rules.ts';

const defaultPort = 443;
const largestPort = 65_535;
const path = 'spec.clientConfig';

/** An absent Service is one without fields, as in upstream. */
const readService = section({ name: textOrEmpty, namespace: textOrEmpty, path: textOrEmpty, port: count });
type CheckedService = z.output<typeof readService>;

function isDefinedService({ name, namespace, path: prefix, port }: CheckedService): boolean {
  return name !== '' || namespace !== '' || prefix !== '' || port !== undefined;
}

/** Sets a selector of all namespaces and port 443 of the Service if they are absent. Other fields do not change. */
export function defaultExtensionConfig<T extends { readonly spec?: unknown }>(object: T): T {
  const spec = toRecord(object.spec);
  const clientConfig = toRecord(spec['clientConfig']);
  const { service } = clientConfig;
  const ported = isDefinedService(readService.parse(service))
    ? { ...clientConfig, service: { ...toRecord(service), port: toRecord(service)['port'] ?? defaultPort } }
    : clientConfig;
  return {
    ...object,
    spec: { ...spec, clientConfig: ported, namespaceSelector: spec['namespaceSelector'] ?? {} },
  };
}

/** Returns all problems of the object as it will be stored, in order. */
function admitExtensionConfig(object: Unstructured, gates: Pick<AdmissionGates, 'runtimeSdk'>): readonly FieldError[] {
  if (!gates.runtimeSdk) {
    return [forbidden('spec', 'can be set only if the RuntimeSDK feature flag is enabled')];
  }
  const { metadata, spec } = readExtensionConfig(object);
  const { clientConfig, namespaceSelector } = spec;
  const { url = '' } = clientConfig;
  const service = readService.parse(toRecord(toRecord(object.spec)['clientConfig'])['service']);
  const hasService = isDefinedService(service);
  return [
    ...nameProblems(metadata.name),
    ...targetProblems(url !== '', hasService),
    ...(url === '' ? [] : urlProblems(url)),
    ...(hasService ? serviceProblems(service) : []),
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

function targetProblems(hasUrl: boolean, hasService: boolean): readonly FieldError[] {
  if (hasUrl !== hasService) {
    return [];
  }
  return hasUrl
    ? [forbidden(path, 'only one of url or service can be defined')]
    : [requiredValue(path, 'either url or service must be defined')];
}

function urlProblems(url: string): readonly FieldError[] {
  const problem = problemOfUri(url);
  if (problem !== undefined) {
    return [invalidValue(`${path}.url`, url, `must be a valid URL, e.g. https://example.com: ${problem}`)];
  }
  const text = "'https' is the only allowed URL scheme, e.g. https://example.com";
  return URL.parse(url)?.protocol === 'https:' ? [] : [invalidValue(`${path}.url`, url, text)];
}

/** A URL, or an absolute path. */
function problemOfUri(text: string): string | undefined {
  return URL.parse(text) === null && !text.startsWith('/')
    ? `parse ${quote(text)}: invalid URI for request`
    : undefined;
}

function serviceProblems({ name, namespace, path: prefix, port }: CheckedService): readonly FieldError[] {
  const of = (field: string, value: string, problems: readonly string[]): readonly FieldError[] => [
    ...(value === '' ? [requiredValue(`${path}.service.${field}`, 'must not be empty')] : []),
    ...problems.map(problem => invalidValue(`${path}.service.${field}`, value, problem)),
  ];
  return [
    ...of('name', name, dns1035LabelProblems(name)),
    ...of('namespace', namespace, dns1123LabelProblems(namespace)),
    ...(prefix === '' ? [] : pathProblems(prefix)),
    ...(port === undefined || (port >= 1 && port <= largestPort)
      ? []
      : [invalidValue(`${path}.service.port`, port, `must be between 1 and ${largestPort}, inclusive`)]),
  ];
}

function pathProblems(text: string): readonly FieldError[] {
  const problem = problemOfUri(text);
  const refuse = (why: string): FieldError => invalidValue(`${path}.service.path`, text, why);
  return [
    ...(problem === undefined ? [] : [refuse(`must be a valid URL path e.g. /path/to/hook: ${problem}`)]),
    ...(text.startsWith('/') ? [] : [refuse('must start with "/" to be a valid URL path')]),
  ];
}

function selectorProblems(selector: Parameters<typeof selectorProblem>[0]): readonly FieldError[] {
  const problem = selectorProblem(selector);
  return problem === undefined ? [] : [invalidValue('spec.namespaceSelector', toPrintedSelector(selector), problem)];
}
