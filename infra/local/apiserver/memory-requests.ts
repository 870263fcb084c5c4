// Request facts of the memory adapter, the same as the REST adapter publishes.
import { type RequestFact, requestSent, requests } from '../../../shared/telemetry/channels.ts';

export type RequestSubject = Pick<RequestFact, 'verb' | 'group' | 'resource' | 'namespace' | 'name' | 'dryRun'>;

/** Publishes that a request was sent; the returned function publishes the fact with the code of its answer. */
export type RequestReporter = (subject: () => RequestSubject) => (code: number) => void;

const silent = (): void => {};

export function createRequestReporter(client: string): RequestReporter {
  return toSubject => {
    if (!requestSent.hasSubscribers && !requests.hasSubscribers) {
      return silent;
    }
    const subject = toSubject();
    const startedAt = performance.now();
    requestSent.publish({ ...subject, startedAt, client });
    return code => {
      const fact: RequestFact = { ...subject, code, startedAt, endedAt: performance.now(), client };
      requests.publish(fact);
    };
  };
}
