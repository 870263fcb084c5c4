// A failed test in one line: its location, the error, and the command that runs only this test.

export interface TestFailure {
  readonly project: string;
  readonly file: string;
  /**
   * The names of its groups and its title, separated by ` > ` as `-t` matches them. `undefined` if the file or a hook
   * failed.
   */
  readonly title: string | undefined;
  readonly message: string;
  /** The actual value of an assertion as text. */
  readonly actual: string | undefined;
}

const longestReason = 300;

/** Returns `FAILED <file> › <title>: <reason>; run alone: <command>`. */
export function toFailureLine(failure: TestFailure): string {
  const { file, title } = failure;
  const where = title === undefined ? file : `${file} › ${title}`;
  return `FAILED ${where}: ${toReason(failure)}; run alone: ${toCommand(failure)}`;
}

const firstLines = 10;

/** Returns the line of the failure, and the first lines of its message. */
export function toFailureText(failure: TestFailure): string {
  const lines = failure.message.split('\n').slice(0, firstLines);
  return [toFailureLine(failure), ...lines.map(line => `    ${line.slice(0, longestReason)}`)].join('\n');
}

const replay = /npm run simulate -- [^\n]*/;

/**
 * Returns the first line of the message. For a failed property it adds the counterexample, and for a run of the
 * simulation the problem.
 */
function toReason({ message, actual = '' }: TestFailure): string {
  const [, problem] = /^npm run simulate -- [^\n]*\n([^\n]+)/.exec(actual) ?? [];
  const lines = (problem ?? message).split('\n').map(line => line.trim());
  const first = [lines.find(line => line !== ''), lines.find(line => line.startsWith('Counterexample:'))];
  return first
    .filter(line => line !== undefined)
    .join('; ')
    .slice(0, longestReason);
}

/** The commands of suites whose tests are the steps of one story. None of them can run alone. */
export const wholeSuites: Readonly<Record<string, readonly string[]>> = {
  'take-over': ['npm', 'run', 'test:take-over'],
  providers: ['npm', 'run', 'test:providers'],
};

/** A run of the simulation has a separate command, and a property has a seed. */
function toCommand({ project, file, title, message, actual = '' }: TestFailure): string {
  const [again] = replay.exec(`${actual}\n${message}`) ?? [];
  if (again !== undefined) {
    return again;
  }
  const whole = wholeSuites[project];
  if (whole !== undefined) {
    return whole.join(' ');
  }
  const [, seed, path] = /\{ seed: (-?\d+), path: "([^"]*)"/.exec(message) ?? [];
  const property = seed === undefined ? '' : `CAPI_SEED=${seed} CAPI_PATH=${path} `;
  const only = title === undefined ? '' : ` -t ${quoted(toPattern(title))}`;
  return `${property}npx vitest run --project ${project} ${file}${only}`;
}

/** Escapes the title, because Vitest expects a regular expression. */
function toPattern(title: string): string {
  return `^${title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
