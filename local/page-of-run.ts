// The page about a local run. The command line opens it.
import type { ApiServerConnection } from './connect.ts';
import type { LocalWorld } from './local-system.ts';
import type { StartOptions } from './run-options.ts';
import type { Reporter } from './view/reporter.ts';

/** What is shown about a run that has started. */
interface ShownRun {
  readonly connection: ApiServerConnection;
  readonly queueUrls: LocalWorld['queueUrls'];
  readonly port: number;
  readonly watchFilter: string;
}

export interface RunPage {
  readonly url: string;
  stop(): Promise<void>;
}

/** Opens the page about a run. */
export type OpenPage = (shown: ShownRun) => Promise<RunPage>;

interface Showing extends Pick<ShownRun, 'connection' | 'queueUrls'> {
  readonly openPage: OpenPage;
  readonly reporter: Reporter;
}

/** Returns `undefined` if no page is wanted. */
export async function showPage(
  { pagePort: port, watchFilter }: StartOptions,
  { openPage, reporter, ...shown }: Showing,
): Promise<RunPage | undefined> {
  if (port === undefined) {
    return undefined;
  }
  const page = await openPage({ ...shown, port, watchFilter });
  reporter.note(`The page about this run: ${page.url}`);
  return page;
}
