// Prints failures of tests when they happen. The output of a step goes to a file until the step ends, so that the test
// runner appends its failures to a second file.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const liveName = 'live';
const pollMs = 1000;

export function liveFile(results: string): string {
  return path.join(results, liveName);
}

/** Reports what is appended to the file. The function that it returns reports the rest and ends. */
export function followLive(results: string, report: (text: string) => unknown): () => void {
  const file = liveFile(results);
  let shown = 0;
  const show = (): void => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const news = text.slice(shown).trimEnd();
    shown = text.length;
    if (news !== '') {
      report(news);
    }
  };
  const timer = setInterval(show, pollMs);
  return () => {
    clearInterval(timer);
    show();
  };
}
