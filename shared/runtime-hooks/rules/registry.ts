// The handlers that can be called. They are derived from the ExtensionConfigs in each invocation. Pure.

import { compareText, groupOf, type LabelSelector, selectorProblem, versionOf } from '@capi-serverless/apimachinery';
import type { ClientConfig, ExtensionConfig, ExtensionHandler } from '../../api/extension-config/reader.ts';
import { type HookSettings, hooksGroup } from './hook.ts';

/** The timeout of a handler without a configured timeout. */
export const defaultTimeoutSeconds = 10;
/** The maximum timeout of a handler. */
export const longestTimeoutSeconds = 30;

/** A handler that an ExtensionConfig registers. */
export interface Registration {
  /** The name in the form `<handler>.<ExtensionConfig>`. */
  readonly name: string;
  /** The name of the handler in the extension server. */
  readonly shortName: string;
  readonly extension: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly group: string;
  readonly version: string;
  readonly hook: string;
  /** `undefined` matches nothing. */
  readonly selector: LabelSelector | undefined;
  readonly clientConfig: ClientConfig;
  readonly timeoutSeconds: number;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly settings: HookSettings;
}

/** An ExtensionConfig whose handlers are unknown. */
interface UndiscoveredExtension {
  readonly extension: string;
  /** The selector of namespaces. `undefined` selects none. */
  readonly selector: LabelSelector | undefined;
  /** The reason why the handlers are unknown, and the remedy. */
  readonly problem: string;
}

export interface ExtensionRegistry {
  /** Sorted by full name. */
  readonly registrations: readonly Registration[];
  readonly undiscovered: readonly UndiscoveredExtension[];
}

const everything: LabelSelector = { matchLabels: {}, matchExpressions: [] };

/**
 * Reads spec and `status.handlers`, also if the last discovery failed. Therefore an unavailable extension is not
 * treated as absent. ExtensionConfigs with a deletionTimestamp are ignored.
 */
export function toRegistry(configs: readonly ExtensionConfig[]): ExtensionRegistry {
  const living = configs
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  const undiscovered = living.flatMap(config => toUndiscovered(config) ?? []);
  const undiscoveredNames = new Set(undiscovered.map(({ extension }) => extension));
  const registrations = living
    .filter(({ metadata }) => !undiscoveredNames.has(metadata.name))
    .flatMap(config => config.status.handlers.map(handler => toRegistration(config, handler)))
    .toSorted((a, b) => compareText(a.name, b.name));
  return { registrations, undiscovered };
}

function toUndiscovered({ metadata, spec, status }: ExtensionConfig): UndiscoveredExtension | undefined {
  const { name: extension } = metadata;
  const selector = spec.namespaceSelector;
  const badSelector = selector === undefined ? undefined : selectorProblem(selector);
  if (badSelector !== undefined) {
    return { extension, selector: everything, problem: `its namespaceSelector is not valid: ${badSelector}` };
  }
  const badHook = status.handlers.find(({ requestHook }) => requestHook.apiVersion.split('/').length > 2);
  if (badHook !== undefined) {
    const problem = `handler ${badHook.name} has the apiVersion "${badHook.requestHook.apiVersion}", which is none`;
    return { extension, selector, problem };
  }
  const isDiscovered =
    status.handlers.length > 0 || status.conditions.some(each => each.type === 'Discovered' && each.status === 'True');
  return isDiscovered
    ? undefined
    : {
        extension,
        selector,
        problem: 'it was never discovered; fix it (see its condition Discovered) or delete it',
      };
}

function toRegistration({ metadata, spec }: ExtensionConfig, handler: ExtensionHandler): Registration {
  const { name, uid, generation } = metadata;
  const suffix = `.${name}`;
  return {
    name: handler.name,
    shortName: handler.name.endsWith(suffix) ? handler.name.slice(0, -suffix.length) : handler.name,
    extension: { name, uid, generation },
    group: groupOf(handler.requestHook.apiVersion),
    version: versionOf(handler.requestHook.apiVersion),
    hook: handler.requestHook.hook,
    selector: spec.namespaceSelector,
    clientConfig: spec.clientConfig,
    timeoutSeconds: toTimeoutSeconds(handler.timeoutSeconds),
    failurePolicy: handler.failurePolicy,
    settings: spec.settings,
  };
}

/** Limits a value of an unvalidated status to the range that discovery accepts. */
function toTimeoutSeconds(given: number | undefined): number {
  return given === undefined || given <= 0 ? defaultTimeoutSeconds : Math.min(given, longestTimeoutSeconds);
}

/** Ignores the version. All handlers of a hook are called, regardless of their version. */
export function isFor(registration: Registration, hook: { readonly name: string }): boolean {
  return registration.group === hooksGroup && registration.hook === hook.name;
}
