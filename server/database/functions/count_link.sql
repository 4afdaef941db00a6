-- Trigger on payments of a link: moves the payment among open, paid and released, and keeps the counts of the link.
create or replace function count_link() returns trigger language plpgsql as $$
declare
  -- A replacement by reference counts as the payment that it replaced.
  first_id uuid := coalesce(new.replaces_id, new.id);
  known link_payments;
  becomes text;
  link links;
  event_details jsonb;
begin
  -- The lock orders concurrent changes of a payment and its replacement.
  select * into known from link_payments where payment_id = first_id for update;
  if not found then return null; end if;

  select case
      when bool_or(p.status = 'Paid') then 'Paid'
      -- A payment is closed before its replacement is written.
      when bool_and(p.status in ('Failed', 'Expired', 'Canceled')) and count(*) = 1 + count(p.replaced_by_id)
        then 'Released'
      else 'Open' end
    into becomes
    from payments p
    where p.id = any(array[first_id, (select f.replaced_by_id from payments f where f.id = first_id)]);
  if becomes = known.status then return null; end if;

  update link_payments set status = becomes where payment_id = first_id;
  update links set
      open_count = open_count + (becomes = 'Open')::int - (known.status = 'Open')::int,
      paid_count = paid_count + (becomes = 'Paid')::int - (known.status = 'Paid')::int
    where id = known.link_id returning * into link;

  -- The stock is sold. A sale beyond it was paid late; the merchant is notified.
  if becomes = 'Paid' and link.paid_count >= link.stock then
    event_details := jsonb_build_object('linkId', link.id, 'slug', link.slug, 'title', link.title,
      'stock', link.stock, 'paid', link.paid_count, 'paymentId', new.id);
    insert into events (id, merchant_id, type, occurred_at, details)
    values (gen_random_uuid(), link.merchant_id,
      case when link.paid_count = link.stock then 'link.sold_out' else 'link.oversold' end,
      coalesce(new.completed_at, now()), event_details);
    if link.paid_count > link.stock then
      insert into notifications (id, merchant_id, type, payment_id, details, subject, created_at, due_at)
      values (gen_random_uuid(), link.merchant_id, 'link.oversold', new.id, event_details, 'link.oversold ' || first_id,
        coalesce(new.completed_at, now()), coalesce(new.completed_at, now()))
      on conflict do nothing;
    end if;
  end if;
  return null;
end $$;
