// Invariant I7: the content of a Secret never appears in a message, a log line, a metric or an Event.
import type { Oracle } from './monitor.ts';

/** The text that workloads put into Secrets. It must not occur anywhere else. */
export const canary = 'c4n4ry-0f-a-s3cr3t';
const encoded = Buffer.from(canary).toString('base64');

export function watchSecrecy(report: (text: string) => void): Oracle {
  const check = (where: string, text: string): void => {
    if (text.includes(canary) || text.includes(encoded)) {
      report(`I7: the content of a Secret is in ${where}`);
    }
  };
  return {
    sent: ({ queue, message }) => check(`a message on ${queue}`, message.body),
    logged: ({ process, message, fields }) => check(`the log of ${process}: ${message}`, JSON.stringify(fields)),
    counted: (name, labels) => check(`metric ${name}`, Object.values(labels).join(' ')),
    committed({ object }) {
      if (object.kind === 'Event') {
        check(`Event ${object.metadata.name}`, JSON.stringify(object));
      }
    },
  };
}
