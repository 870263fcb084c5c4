// Fetches ElasticMQ with Maven, once per version, into the user's cache.
// Run as `npm run elasticmq`; see README.md beside this file.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { elasticMqDir, pomPath } from './location.ts';

const leastJava = 17;

/** Why it cannot be fetched here, for people; `undefined` once it is there. */
function fetchElasticMq(dir: string): string | undefined {
  if (existsSync(dir)) {
    return undefined;
  }
  const lacking = lackingJava() ?? lackingMaven();
  if (lacking !== undefined) {
    return lacking;
  }
  mkdirSync(dirname(dir), { recursive: true });
  const temporary = mkdtempSync(`${dir}.fetching-`);
  try {
    console.log('Fetching ElasticMQ and what it needs (43 MB, less than a minute)');
    const copied = copyInto(temporary);
    if (copied === undefined) {
      publish(temporary, dir);
    }
    return copied;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function lackingJava(): string | undefined {
  const needed = `Java ${leastJava} or newer is needed to run ElasticMQ`;
  const { error, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (error !== undefined) {
    return `${needed}, and no "java" can be run (${error.message})`;
  }
  const version = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  return version >= leastJava ? undefined : `${needed}; found ${stderr.split('\n')[0]}`;
}

function lackingMaven(): string | undefined {
  const { error } = spawnSync('mvn', ['-version'], { stdio: 'ignore' });
  return error === undefined
    ? undefined
    : `Maven is needed to fetch ElasticMQ, and no "mvn" can be run (${error.message}); install it from https://maven.apache.org`;
}

/** Strict about checksums: a jar that arrives damaged fails here and not in a test. */
function copyInto(dir: string): string | undefined {
  const args = ['-B', '-q', '-C', '-f', pomPath, 'dependency:copy-dependencies', `-DoutputDirectory=${dir}`];
  const { status, stdout } = spawnSync('mvn', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return status === 0 ? undefined : `mvn ${args.join(' ')} ended with ${status}:\n${stdout.slice(-4000)}`;
}

/** Another fetch may have finished first: its folder holds the same content. */
function publish(temporary: string, dir: string): void {
  try {
    renameSync(temporary, dir);
  } catch (cause) {
    if (!existsSync(dir)) {
      throw cause;
    }
  }
}

const dir = elasticMqDir();
const problem = fetchElasticMq(dir);
if (problem === undefined) {
  console.log(`ElasticMQ is ready: ${dir}`);
} else {
  console.error(problem);
  process.exitCode = 1;
}
