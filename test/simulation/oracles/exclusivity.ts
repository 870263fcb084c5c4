// At most one invocation processes an object at a time, unless a batch is delivered twice or the queue refused to renew a
// lease. An invocation that deletes a message has done with its object.
import type { SimulatedQueues } from '../system/simulated-queues.ts';
import type { Oracle } from './monitor.ts';

export function watchExclusivity(queues: Pick<SimulatedQueues, 'onDeleted'>, report: (text: string) => void): Oracle {
  /** The invocation that processes the group, by queue and message group. */
  const held = new Map<string, string>();
  queues.onDeleted(({ queue, groups, sender }) => {
    for (const group of groups) {
      const id = `${queue} ${group}`;
      if (held.get(id) === sender) {
        held.delete(id);
      }
    }
  });
  const release = (process: string): void => {
    for (const [group, holder] of held) {
      if (holder === process) {
        held.delete(group);
      }
    }
  };
  return {
    logged({ process, message }) {
      if (message === 'Changing the visibility timeout failed') {
        release(process);
      }
    },
    invocation(event) {
      if (event.type === 'ends') {
        release(event.process.name);
        return;
      }
      const { queue, messages, process, again } = event;
      const groups = new Set(
        messages.flatMap(({ attributes: { groupId } }) => (groupId === undefined ? [] : [groupId])),
      );
      for (const group of groups) {
        const id = `${queue} ${group}`;
        const holder = held.get(id);
        if (again) {
          // The first of two invocations that ends releases the group.
          held.delete(id);
          continue;
        }
        if (holder !== undefined) {
          report(`D4: ${process.name} was handed an object of ${queue} that ${holder} is at work on`);
        }
        held.set(id, process.name);
      }
    },
  };
}
