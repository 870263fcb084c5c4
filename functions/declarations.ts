// The declarations of all reconcilers, by name. Queues, functions, watches, RBAC rules and the local run are derived
// from this list.
import type { Declaration } from '@capi-serverless/reconciler';
import * as reconcilers from './reconcilers.ts';

const all: readonly Declaration[] = Object.values(reconcilers);

export const declarations: readonly Declaration[] = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
