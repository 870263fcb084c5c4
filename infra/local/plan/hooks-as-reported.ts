// Stands in for extension servers that must not be asked: each answers Discovery as its ExtensionConfig last told.
import { type ExtensionHandler, readExtensionConfig } from '../../../shared/api/extension-config/reader.ts';
import { isTrue } from '../../../shared/conditions/get.ts';
import type { Hooks } from '../../../shared/runtime-hooks/port.ts';
import { discovery } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { Asking } from './plan.ts';

/** Tells of every call that would be made. Nobody's answer is remembered. */
export function hooksAsReported({ reads, ref, wouldAsk }: Asking): Hooks {
  return {
    services: 'dns',
    memory: { get: () => undefined, set: () => undefined },
    async exchange({ hook, url }) {
      const answered = await reads.get(ref);
      const config = answered.ok ? readExtensionConfig(answered.value) : undefined;
      const isKnown = hook === discovery.name && config !== undefined && isTrue(config.status.conditions, 'Discovered');
      const assumed = isKnown ? 'taken to serve what condition Discovered is about' : 'taken not to answer';
      wouldAsk(`the extension server at ${new URL(url).origin} by hook ${hook}; ${assumed}; --call-hooks asks it`);
      return isKnown
        ? { ok: true, body: { status: 'Success', handlers: config.status.handlers.map(toShort(ref.name)) } }
        : { ok: false, why: 'exchange', error: 'not asked' };
    },
  };
}

/** As the extension server calls its handler: without the name of the ExtensionConfig. */
function toShort(extension: string): (handler: ExtensionHandler) => object {
  const suffix = `.${extension}`;
  return ({ name, timeoutSeconds = 0, ...handler }) => ({
    ...handler,
    timeoutSeconds,
    name: name.endsWith(suffix) ? name.slice(0, -suffix.length) : name,
  });
}
