import type { Ownership } from '@sallyport/authority';
import type { MemberId, OwnerEpoch, RuntimeId } from '@sallyport/model';
import type { Check } from './check.ts';
import * as pb from './gen/sallyport/store/v1/records.ts';
import { recordCodec } from './record-codec.ts';

/** `owner/{sandboxId}` */
export const { encode: encodeOwnership, decode: decodeOwnership } = recordCodec<Ownership, pb.OwnerRecord>(
  pb.OwnerRecord,
  (ownership, opId) => ({ opId, ownerEpoch: ownership.epoch, state: stateMessage(ownership) }),
  readOwnership,
);

function stateMessage(ownership: Ownership): NonNullable<pb.OwnerRecord['state']> {
  switch (ownership.kind) {
    case 'released':
      return { $case: 'released', value: {} };
    case 'offered':
      return { $case: 'offered', value: { memberId: ownership.to } };
    case 'owned':
      return { $case: 'owned', value: { memberId: ownership.by } };
    case 'fencing':
      return {
        $case: 'fencing',
        value: { memberId: ownership.from, ownedEpoch: ownership.ownedEpoch, runtimeId: ownership.runtimeId },
      };
  }
}

function readOwnership(check: Check, message: pb.OwnerRecord): Ownership {
  const epoch = check.epoch<OwnerEpoch>('owner_epoch', message.ownerEpoch);
  const state = check.required('state', message.state);
  switch (state.$case) {
    case 'released':
      return { kind: 'released', epoch };
    case 'offered':
      return { kind: 'offered', epoch, to: check.id<MemberId>('member_id', state.value.memberId) };
    case 'owned':
      return { kind: 'owned', epoch, by: check.id<MemberId>('member_id', state.value.memberId) };
    case 'fencing': {
      const ownedEpoch = check.epoch<OwnerEpoch>('owned_epoch', state.value.ownedEpoch);
      if (ownedEpoch >= epoch) check.fail('owned_epoch is not below owner_epoch');
      return {
        kind: 'fencing',
        epoch,
        from: check.id<MemberId>('member_id', state.value.memberId),
        ownedEpoch,
        runtimeId: check.id<RuntimeId>('runtime_id', state.value.runtimeId),
      };
    }
  }
}
