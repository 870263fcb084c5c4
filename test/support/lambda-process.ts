// One execution environment of a Lambda function: a process with AWS's runtime client and Lambda's environment
// variables. https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { localAccount, localRegion } from '../../local/local-lambda.ts';
import type { PackagedFunction } from './packaged.ts';
import { type RuntimeAnswer, RuntimeApi, type RuntimeFailure } from './runtime-api.ts';

export interface LambdaProcess {
  readonly pid: number | undefined;
  /** The start time of the process according to `performance.now()`. */
  readonly startedAt: number;
  /** Resolves when the function is loaded. If the process ends earlier, rejects with its output. */
  ready(): Promise<void>;
  /** Sends an event to the function, one at a time. Rejects if the process ends before the answer. */
  invoke(event: unknown): Promise<RuntimeAnswer>;
  /** The error of a failed initialization. */
  readonly initFailure: Promise<RuntimeFailure>;
  /** The exit code. */
  readonly ended: Promise<number | null>;
  /** Requests to the Runtime API that no runtime should send. */
  readonly unexpected: readonly string[];
  output(): string;
  stop(): Promise<void>;
}

/** Writes its process id to the file in the first argument, and becomes the command after it. */
const joinGroup = 'echo $$ > "$0" && exec "$@"';

/**
 * `program` is the path from `findLambdaRic`. The process inherits no environment variables. `group`: the file with the
 * processes of the cgroup in which it starts.
 */
export async function startLambda(program: string, packaged: PackagedFunction, group?: string): Promise<LambdaProcess> {
  const { name, timeoutSeconds } = packaged;
  const functionArn = `arn:aws:lambda:${localRegion}:${localAccount}:function:${name}`;
  const api = await RuntimeApi.open({ functionArn, timeoutSeconds });
  const startedAt = performance.now();
  const command = [process.execPath, program];
  const [file = '', ...args] = group === undefined ? command : ['/bin/sh', '-c', joinGroup, group, ...command];
  const child = spawn(file, args, {
    cwd: packaged.taskRoot,
    env: { ...toRuntimeEnvironment(packaged, program), AWS_LAMBDA_RUNTIME_API: api.address, ...packaged.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endChild = (): void => void child.kill('SIGKILL');
  process.once('exit', endChild);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null); // true: 'close' is emitted with this value
  const orEnd = <T>(promise: Promise<T>): Promise<T> =>
    Promise.race([
      promise,
      ended.then(code => {
        throw new Error(`The runtime of ${name} ended with ${code}: ${output.slice(-2000)}`);
      }),
    ]);
  return {
    pid: child.pid,
    startedAt,
    ready: () => orEnd(api.ready),
    invoke: event => orEnd(api.invoke(event)),
    initFailure: api.initFailure,
    ended,
    unexpected: api.unexpected,
    output: () => output,
    async stop() {
      process.off('exit', endChild);
      child.kill('SIGKILL');
      await ended;
      await api.close();
    },
  };
}

function toRuntimeEnvironment(
  { name, handler, memoryMiB, taskRoot }: PackagedFunction,
  program: string,
): Readonly<Record<string, string>> {
  return {
    _HANDLER: handler,
    LAMBDA_TASK_ROOT: taskRoot,
    LAMBDA_RUNTIME_DIR: dirname(program),
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMiB),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_REGION: localRegion,
    AWS_DEFAULT_REGION: localRegion,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SESSION_TOKEN: 'local',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
  };
}
