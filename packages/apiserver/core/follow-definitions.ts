// Keeps the served kinds in sync with the stored definitions.

import { sameJson } from '@capi-serverless/apimachinery';
import { acceptNames, isEstablished } from './accept-names.ts';
import { definitions } from './built-in-kinds.ts';
import type { Context } from './context.ts';
import { toResource } from './definition-strategy.ts';
import type { Resource } from './kinds.ts';
import type { LoggedChange } from './log.ts';
import type { Stored } from './object.ts';

/** Serves the kind of a definition in its current state. A changed definition ends the watches of its kind. */
export function followDefinition(context: Context, resource: Resource, change: LoggedChange): void {
  const { store, registry } = context;
  if (resource !== definitions) {
    return;
  }
  if (!isEstablished(change.object)) {
    return;
  }
  const defined = toResource(change.object);
  if (change.type === 'DELETED') {
    registry.uninstall(defined);
    store.drop(defined);
    offerNames(context);
    return;
  }
  registry.install(defined);
  store.open(defined);
  if (change.previous !== undefined && !sameJson(change.previous.spec, change.object.spec)) {
    store.restart(defined);
    offerNames(context);
  }
}

/** Definitions in a name conflict may now be accepted. */
function offerNames({ store, now }: Context): void {
  for (const waiting of store.list(definitions).filter(definition => !isEstablished(definition))) {
    const others = store.list(definitions).filter(({ metadata }) => metadata.name !== waiting.metadata.name);
    const accepted: Stored = { ...waiting, status: acceptNames(waiting, others, now()) };
    if (isEstablished(accepted)) {
      store.put(definitions, accepted);
    }
  }
}
