// Repeats requests that the API server refused for now, and reads without an answer. client-go does the same for
// upstream's manager, so a busy API server does not end a pass.
import type { Answer, ApiFailure, Clock, Instant, Kubernetes } from '@capi-serverless/apimachinery';

/** The maximum number of repetitions of one request, and of all requests of one reconcile. */
const mostOfRequest = 2;
const mostOfReconcile = 10;
/** The first wait if the server requests none. Later waits are `growth` times longer. */
const firstWaitMs = 250;
const growth = 4;
/** An invocation is billed while it waits, so a longer wait is a timer. */
const longestWaitMs = 5_000;

interface Repeating {
  readonly clock: Clock;
  /** Ends a wait. */
  readonly signal: AbortSignal;
  /** A request is repeated only if it can take as long as before until then. If absent, there is no limit. */
  readonly deadline?: Instant | undefined;
  /** Returns a number from 0 to 1. Waits are up to half longer, so that clients do not repeat at the same time. */
  readonly random: () => number;
}

interface Budget {
  left: number;
}

/** Returns the same client. Its dry runs and watches are not repeated. */
export function repeatingRequests(client: Kubernetes, options: Repeating): Kubernetes {
  return repeatWith(client, options, { left: mostOfReconcile });
}

function repeatWith(client: Kubernetes, options: Repeating, budget: Budget): Kubernetes {
  const repeating =
    (isRead: boolean) =>
    <Ask extends (...question: never[]) => Promise<Answer<unknown>>>(ask: Ask): Ask => {
      const asking = (...question: Parameters<Ask>) => repeat(() => ask(...question), { ...options, isRead, budget });
      // True: it returns the result of the wrapped function unchanged, so the type is the same, including overloads.
      return asking as unknown as Ask;
    };
  const [read, write] = [repeating(true), repeating(false)];
  return {
    get: read(client.get.bind(client)),
    metadata: read(client.metadata.bind(client)),
    list: read(client.list.bind(client)),
    create: write(client.create.bind(client)),
    mergePatch: write(client.mergePatch.bind(client)),
    jsonPatch: write(client.jsonPatch.bind(client)),
    apply: write(client.apply.bind(client)),
    delete: write(client.delete.bind(client)),
    dryRun: client.dryRun,
    watches: client.watches,
    within: signal => repeatWith(client.within(signal), { ...options, signal }, budget),
  };
}

interface Request extends Repeating {
  readonly isRead: boolean;
  readonly budget: Budget;
}

async function repeat<T>(ask: () => Promise<Answer<T>>, request: Request): Promise<Answer<T>> {
  const { clock, signal, deadline = Number.POSITIVE_INFINITY, budget } = request;
  let startedAt = clock.now();
  let answer = await ask();
  for (let repetition = 0; repetition < mostOfRequest && budget.left > 0 && !answer.ok; repetition += 1) {
    const now = clock.now();
    const waitMs = waitOf(answer.failure, request, repetition);
    if (waitMs === undefined || now + waitMs + (now - startedAt) > deadline) {
      return answer;
    }
    budget.left -= 1;
    await clock.sleep(waitMs, signal);
    if (signal.aborted) {
      return answer;
    }
    startedAt = clock.now();
    answer = await ask();
  }
  return answer;
}

/** Returns `undefined` if the request must not be repeated here. */
function waitOf(failure: ApiFailure, { isRead, random }: Request, repetition: number): number | undefined {
  if (!isRepeatable(failure, isRead)) {
    return undefined;
  }
  const ms = Math.max(failure.retryAfterMs ?? 0, firstWaitMs * growth ** repetition);
  return ms > longestWaitMs ? undefined : ms * (1 + random() / 2);
}

/** A write is repeated only if the server states that it executed nothing, and when to repeat it. */
function isRepeatable({ reason, retryAfterMs }: ApiFailure, isRead: boolean): boolean {
  return reason === 'TooManyRequests' || (reason === 'Unavailable' && (isRead || retryAfterMs !== undefined));
}
