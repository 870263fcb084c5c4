// Machines for the tests of conditions, as short texts: `m1 Ready=False:broken`.
import { readWholeMachine, type WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { aMachine } from '../../../support/builders.ts';
import type { ConditionParts } from '../../../support/object-builder.ts';
import { testStart } from '../../../support/object-builder.ts';

/** `age` is in seconds. `Type=Status` is a condition, `Type=Status:message` a condition with a message. */
function machine(text: string): WholeMachine {
  const [name = '', ...parts] = text.split(' ');
  const start = aMachine().named(name);
  const made = parts.reduce((builder, part) => {
    const [key = '', value = ''] = part.split('=');
    if (key === 'age') {
      return builder.createdAt(testStart - Number(value) * 1000);
    }
    const [status = '', message = ''] = value.split(':');
    // True: tests write one of the three.
    return builder.withCondition(key, {
      status: status as NonNullable<ConditionParts['status']>,
      message: message.replaceAll('_', ' '),
    });
  }, start);
  return readWholeMachine(made.build());
}

export function listOfMachines(text: string): readonly WholeMachine[] {
  return text === '' ? [] : text.split(', ').map(machine);
}
