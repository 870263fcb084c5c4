// No call continues after its handler. When a handler has answered, none of its calls is in progress.
import type { Oracle } from './monitor.ts';

export function watchOpenCalls(report: (text: string) => void): Oracle {
  return {
    invocation(event) {
      if (event.type === 'ends' && event.answered && event.process.openCalls > 0) {
        report(`D4: ${event.process.name} answered while ${event.process.openCalls} of its calls were under way`);
      }
    },
  };
}
