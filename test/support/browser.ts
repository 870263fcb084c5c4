// The Chromium of this machine without a screen.
import { execFileSync } from 'node:child_process';
import { type Browser, launch } from 'puppeteer-core';

const programs = ['chromium', 'chromium-browser', 'google-chrome'];

function runs(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns the path of a program, or `undefined`. */
export function findBrowser(): string | undefined {
  const program = programs.find(runs);
  return program === undefined ? undefined : execFileSync('which', [program], { encoding: 'utf8' }).trim();
}

/** In containers, root starts it, so its own sandbox does not work. It loads only pages of the test. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return launch({
    executablePath,
    headless: true,
    protocolTimeout: 600_000,
    args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb'],
  });
}
