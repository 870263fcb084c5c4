// The Lambda service. Execution environments are reused, are killed at their timeout, and handle one event at a time.
import type { LambdaHandler } from '../../../shared/lambda/handlers.ts';
import { aContext } from '../../support/lambda-events.ts';
import type { Engine, SimulatedProcess } from '../engine/process.ts';
import type { SimulatedFunction } from './functions.ts';

interface Environment {
  readonly process: SimulatedProcess;
  readonly handler: LambdaHandler<unknown>;
}

interface LambdaOptions {
  readonly engine: Engine;
  readonly function: SimulatedFunction;
  /** The maximum number of concurrent invocations. Default: few, so that messages wait. */
  readonly maximumConcurrency?: number | undefined;
  /** Starts an environment, with the duration of a cold start. */
  start(): Environment;
}

const defaultConcurrency = 5;

/** The probability that an idle environment handles the next event, instead of a new one. */
const reuse = 0.8;

/** `answered`: the handler returned a response. Otherwise it threw or was killed. */
export type InvocationEnd =
  | { readonly answered: true; readonly response: unknown; readonly process: SimulatedProcess }
  | { readonly answered: false; readonly why: string; readonly process: SimulatedProcess };

export class Lambda {
  readonly #options: LambdaOptions;
  #idle: Environment[] = [];
  #running = 0;
  #version = 0;

  constructor(options: LambdaOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get isFull(): boolean {
    return this.#running >= (this.#options.maximumConcurrency ?? defaultConcurrency);
  }

  /** Running invocations continue. Later events start new environments. */
  deploy(): void {
    this.#version += 1;
    this.#idle = [];
  }

  /** `onEnd` is called once, in a separate step. */
  invoke(event: unknown, onEnd: (end: InvocationEnd) => void): SimulatedProcess {
    const { engine, function: invoked } = this.#options;
    const environment = this.#takeEnvironment();
    const { process, handler } = environment;
    const version = this.#version;
    this.#running += 1;
    let ended = false;
    const finish = (end: InvocationEnd): void => {
      if (ended) {
        return;
      }
      ended = true;
      cancelTimeout();
      this.#running -= 1;
      if (end.answered && process.alive && version === this.#version) {
        this.#idle.push(environment);
      }
      engine.trace.note(
        engine.scheduler.now,
        () => `${process.name} ended ${end.answered ? 'well' : `badly: ${end.why}`}`,
      );
      onEnd(end);
    };
    const cancelTimeout = engine.scheduler.after(invoked.timeoutSeconds * 1000, () => {
      engine.trace.note(engine.scheduler.now, () => `${process.name} is out of time`);
      process.end();
    });
    process.onEnd(() => engine.scheduler.after(0, () => finish({ answered: false, why: 'killed', process })));
    const answer = (end: InvocationEnd): void => void engine.scheduler.after(1, () => finish(end), process);
    handler(event, aContext(process.clock, invoked.timeoutSeconds)).then(
      response => answer({ answered: true, response, process }),
      error => answer({ answered: false, why: String(error), process }),
    );
    return process;
  }

  #takeEnvironment(): Environment {
    const { engine, start } = this.#options;
    const idle = engine.random.chance(reuse) ? this.#idle.pop() : undefined;
    return idle ?? start();
  }
}
