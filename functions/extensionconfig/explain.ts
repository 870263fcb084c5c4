// The public interface of the ExtensionConfig reconciler for CLI commands.
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, isEarlyEnd } from '@capi-serverless/reconciler';
import { injectCaAnnotation } from '../../shared/api/extension-config/kind.ts';
import { type ExtensionHandler, readExtensionConfig } from '../../shared/api/extension-config/reader.ts';
import { type ExplainContext, type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import type { Hooks } from '../../shared/runtime-hooks/port.ts';
import { discovery } from '../../shared/runtime-hooks/rules/catalog.ts';
import { type ConfigPlan, injectId } from './plan.ts';
import { createExtensionConfigReconciler } from './reconciler.ts';
import { describeExtension, waitOfExtension } from './why.ts';

export const face = toFace({
  reconciler: createExtensionConfigReconciler({ runtimeSdk: true }),
  asReported: { hooks: hooksAsReported },
  whyOf: whyOfExtensionConfig,
  waitOf: waitOfExtension,
  describe: describeExtension,
});

/** Reports every call that would be sent. No answer is cached. */
function hooksAsReported({ reads, ref, wouldAsk }: ExplainContext): Hooks {
  return {
    services: 'dns',
    memory: { get: () => undefined, set: () => undefined },
    async exchange({ hook, url }) {
      const answered = await reads.get(ref);
      const config = answered.ok ? readExtensionConfig(answered.value) : undefined;
      const isKnown = hook === discovery.name && config !== undefined && isTrue(config.status.conditions, 'Discovered');
      const assumed = isKnown ? 'assumed to serve what condition Discovered reports' : 'assumed not to answer';
      wouldAsk(`the extension server at ${new URL(url).origin} by hook ${hook}; ${assumed}; --call-hooks calls it`);
      return isKnown
        ? { ok: true, body: { status: 'Success', handlers: config.status.handlers.map(toShort(ref.name)) } }
        : { ok: false, why: 'exchange', error: 'not called' };
    },
  };
}

/** Removes the name of the ExtensionConfig from a handler name, because extension servers use the short name. */
function toShort(extension: string): (handler: ExtensionHandler) => object {
  const suffix = `.${extension}`;
  return ({ name, timeoutSeconds = 0, ...handler }) => ({
    ...handler,
    timeoutSeconds,
    name: name.endsWith(suffix) ? name.slice(0, -suffix.length) : name,
  });
}

/** Returns `undefined` for an unknown action. */
function whyOfExtensionConfig({ action, seen: plan }: ExplainedAction<ConfigPlan | EarlyEnd>): string | undefined {
  if (action.id !== injectId || isEarlyEnd(plan)) {
    return undefined;
  }
  const secret = plan.config.metadata.annotations[injectCaAnnotation] ?? '';
  return `Secret ${secret}, which the annotation ${injectCaAnnotation} names, has a ca.crt that differs from the caBundle of the spec`;
}
