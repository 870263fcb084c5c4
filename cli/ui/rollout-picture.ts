// The Machines of a control plane or of a MachineDeployment as a row of boxes: which are replaced, ready, or leaving. Pure.
import { compareText, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { isOutdated } from '../../functions/cluster/why/tree.ts';
import { viewObject } from '../../shared/explain/object-view.ts';
import { machinePreference } from '../../shared/explain/referred.ts';
import { type Html, html } from './html.ts';

/** More Machines are counted. */
const mostBoxes = 60;

/** Returns a picture with a caption in words. */
export function toPicture(title: string, machines: readonly Unstructured[]): Html {
  const sorted = machines.toSorted(
    (a, b) => Number(isOutdated(b)) - Number(isOutdated(a)) || compareText(a.metadata.name, b.metadata.name),
  );
  const shown = sorted.slice(0, mostBoxes);
  const more = sorted.length - shown.length;
  return html`<figure class="picture"><figcaption>${title}: ${toCaption(machines)}</figcaption><ul class="boxes">${shown.map(toBox)}${more > 0 && html`<li class="more">${more} more</li>`}</ul></figure>`;
}

function toCaption(machines: readonly Unstructured[]): string {
  const current = machines.filter(machine => !isOutdated(machine) && !isLeaving(machine));
  const ready = machines.filter(machine => viewObject(machine, machinePreference).mark === 'ready').length;
  const outdated = machines.filter(isOutdated).length;
  const leaving = machines.filter(isLeaving).length;
  return [
    `${ready} of ${machines.length} ready`,
    ...(outdated > 0 ? [`${current.length} replaced, ${outdated} to replace`] : []),
    ...(leaving > 0 ? [`${leaving} leaving`] : []),
  ].join(', ');
}

function toBox(machine: Unstructured): Html {
  const { mark } = viewObject(machine, machinePreference);
  const { name, namespace = '' } = machine.metadata;
  const version = valueAt(machine, 'spec.version');
  const words = [name, typeof version === 'string' ? version : '', isOutdated(machine) ? 'outdated' : '', mark];
  const text = words.filter(word => word !== '').join(', ');
  return html`<li id="box-${namespace}.${name}" class="box ${mark} ${isOutdated(machine) && 'outdated'}" title="${text}"><span class="hidden">${text}</span></li>`;
}

function isLeaving({ metadata }: Unstructured): boolean {
  return metadata.deletionTimestamp !== undefined;
}
