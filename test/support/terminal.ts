// A program in a terminal: what its screen shows, and keys for it. `script` gives it a terminal, and xterm.js is the screen.
// https://man7.org/linux/man-pages/man1/script.1.html
import { spawn, spawnSync } from 'node:child_process';
import headless from '@xterm/headless';

const size = { cols: 260, rows: 40 } as const;
const longestMs = 120_000;

export interface TerminalProgram {
  /** The lines of the screen, from the top. */
  screen(): string;
  type(keys: string): void;
  /** Resolves with the screen as soon as `shows` returns true. Rejects with the screen after minutes, or if the program ends. */
  until(what: string, shows: (screen: string) => boolean): Promise<string>;
  stop(): Promise<void>;
}

/** Returns the reason in one line why no program can be shown, or `undefined`. */
export function terminalProblem(): string | undefined {
  const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  return stdout?.includes('util-linux') === true ? undefined : 'no "script" of util-linux is installed';
}

export function startInTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): TerminalProgram {
  const { cols, rows } = size;
  const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true });
  const line = [`stty rows ${rows} cols ${cols}`, `exec ${command.map(quoted).join(' ')}`].join(' && ');
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', line, '/dev/null'], {
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>(resolve => void child.once('close', () => resolve()));
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  const lookers = new Set<() => void>();
  child.stdout.on('data', (data: Buffer) => terminal.write(data, () => lookers.forEach(look => void look())));
  // Programs ask the terminal what it can do.
  terminal.onData(answer => child.stdin.write(answer));
  child.stdin.on('error', () => undefined); // The program has ended, which `until` reports.

  const screen = (): string => {
    const { active } = terminal.buffer;
    return Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '')
      .join('\n')
      .trimEnd();
  };

  return {
    screen,
    type: keys => void child.stdin.write(keys),
    until(what, shows) {
      return new Promise((resolve, reject) => {
        const fail = (why: string): void =>
          settle(() => reject(new Error(`${why} before it showed ${what}:\n${screen()}`)));
        const timer = setTimeout(() => fail(`${longestMs / 1000} s passed`), longestMs);
        const look = (): void => void (shows(screen()) && settle(() => resolve(screen())));
        const settle = (end: () => void): void => {
          clearTimeout(timer);
          lookers.delete(look);
          end();
        };
        lookers.add(look);
        void ended.then(() => lookers.has(look) && fail('The program ended'));
        look();
      });
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      terminal.dispose();
    },
  };
}

/** For a POSIX shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
