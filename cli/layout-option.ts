// The option --layout, of the commands that start or price a deployment.
import { UsageError } from '../local/usage-error.ts';
import { layouts, type WorkQueueLayout } from '../shared/workqueue/queue-specs.ts';

/** Throws UsageError for a layout that does not exist. */
export function parseLayoutOption(text: string): WorkQueueLayout {
  const layout = layouts.find(name => name === text);
  if (layout === undefined) {
    throw new UsageError(`--layout must be ${layouts.join(' or ')}, got "${text}"`);
  }
  return layout;
}
