// The sign of a state, with its name for those who cannot see it. Pure.
import type { Mark } from '../../shared/explain/object-view.ts';
import { type Html, html } from './html.ts';

const signs: Readonly<Record<Mark, string>> = {
  ready: '✓',
  waiting: '…',
  failing: '✗',
  paused: '‖',
  deleting: '−',
  missing: '?',
  unknown: '·',
};

export function toSign(mark: Mark): Html {
  return html`<span class="sign ${mark}" role="img" aria-label="${mark}">${signs[mark]}</span>`;
}
