// `npm run verify:aws`: deploys to an AWS account, reconciles a first Cluster, and removes everything again.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../bundles/bundle.ts';
import { parseVerifyOptions, VerifyRefusal, verifyHelp } from './options.ts';
import { readTarget, toPlan, verify } from './verification.ts';
import type { RunCommand, VerifyCommand } from './verify-context.ts';

const say = (line: string): void => console.log(line);

/** Its standard output may contain a secret, so only the end of its standard error is part of the message. */
function runIn(region: string): RunCommand {
  return async ({ program, args, input }: VerifyCommand) => {
    const child = spawn(program, [...args], {
      cwd: projectRoot,
      env: { ...process.env, AWS_REGION: region, AWS_DEFAULT_REGION: region, AWS_PAGER: '' },
    });
    const ended = new Promise<number | string>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    });
    // A program that ends early closes its input.
    child.stdin.on('error', () => undefined).end(input ?? '');
    const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    if (code !== 0) {
      throw new Error(`${program} ${args.slice(0, 4).join(' ')} … ended with ${code}: ${stderr.trim().slice(-1000)}`);
    }
    return stdout;
  };
}

async function main(args: readonly string[]): Promise<0 | 1 | 2> {
  const options = parseVerifyOptions(args);
  if (options === 'help') {
    say(verifyHelp);
    return 0;
  }
  const target = readTarget(options);
  for (const line of toPlan(target)) {
    say(line);
  }
  if (target.isPlan) {
    return 0;
  }
  // An interrupt also reaches the running command, which fails. Then everything is removed.
  const interrupted = new AbortController();
  process.on('SIGINT', () => interrupted.abort());
  const { signal } = interrupted;
  return verify({ run: runIn(target.region), say, sleep: ms => sleep(ms, undefined, { signal }) }, target);
}

process.exitCode = await main(process.argv.slice(2)).catch(error => {
  if (!(error instanceof VerifyRefusal)) {
    throw error;
  }
  console.error(error.message);
  return 2;
});
