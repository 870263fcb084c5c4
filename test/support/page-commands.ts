// The commands of the documents, as a reader types them.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../infra/bundles/bundle.ts';

export interface PageCommand {
  /** The page, as a path from the root of the project. */
  readonly page: string;
  readonly command: string;
}

/** Returns the pages for users: the README, the pages of `docs`, and those of the examples. */
export function pagesForUsers(): readonly string[] {
  return ['README.md', 'docs/*.md', 'examples/**/README.md'].flatMap(pattern =>
    globSync(pattern, { cwd: projectRoot }).sort(),
  );
}

/** Returns the commands in the blocks `sh` of a page, in order. A command may have several lines. */
export function commandsOf(page: string): readonly PageCommand[] {
  return [...readPage(page).matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    toCommands(block).map(command => ({ page, command })),
  );
}

/** The pages with the commands of a deployment. */
const deployPages = { eks: 'README.md', 'self-managed': 'docs/deployment.md' } as const;

/** Returns the commands of a deployment, one per line. `where` is the text of the comment that marks the block. */
export function deployCommands(where: keyof typeof deployPages): readonly string[] {
  const page = readPage(deployPages[where]);
  const [, block = ''] = new RegExp(`<!-- deploy: ${where} -->\\n\`\`\`sh\\n(.*?)\`\`\``, 's').exec(page) ?? [];
  return toCommands(block.replaceAll('\\\n', ' '));
}

/** Returns the commands with this prefix, without the prefix. */
export function argumentsOf(commands: readonly string[], program: string): readonly string[] {
  return commands.filter(line => line.startsWith(`${program} `)).map(line => line.slice(program.length + 1));
}

function readPage(page: string): string {
  return readFileSync(path.join(projectRoot, page), 'utf8');
}

/** A line continues after `\`, and a loop until `done`. Lines of comments are dropped. */
function toCommands(block: string): readonly string[] {
  const commands: string[] = [];
  let open = false;
  for (const line of block.split('\n')) {
    if (open) {
      commands.push(`${commands.pop()}\n${line}`);
    } else if (line.trim() !== '' && !line.startsWith('#') && !line.startsWith(' ')) {
      commands.push(line);
    }
    const last = commands.at(-1) ?? '';
    open = last.endsWith('\\') || (last.startsWith('for ') && !/\bdone$/.test(last));
  }
  return commands;
}
