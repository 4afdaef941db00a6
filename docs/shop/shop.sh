#!/usr/bin/env bash
# A shop of shell functions, for tests of the API by hand. It needs bash, curl and openssl.
set -euo pipefail

: "${GATEWAY:=http://localhost:8080}" "${CLIENT_ID:=demo}" "${CLIENT_SECRET:=demo-secret}"
: "${SHOP:=http://localhost:3000}" "${DATA:=shop-data}"
mkdir -p "$DATA/finished"

# ---- the gateway ---------------------------------------------------------------------------------------------------

# Prints the first text field with this name of the JSON on standard input.
field() { grep -o "\"$1\":\"[^\"]*\"" | sed -n '1s/.*:"\(.*\)"/\1/p' || true; }

# A token lasts an hour. Get another one after an answer 401.
TOKEN=$(curl -sS --fail-with-body -u "$CLIENT_ID:$CLIENT_SECRET" \
  -d grant_type=client_credentials "$GATEWAY/oauth/token" | field access_token)

api() {
  curl -sS --fail-with-body -X "$1" "$GATEWAY$2" -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' -H 'Accept: application/json' "${@:3}"
}

# ---- the payment ---------------------------------------------------------------------------------------------------

# Prints the fields of a creation that differ by method.
method_of() {
  case $2 in
    express) echo '"paymentType":"GPO","reference":"'"$1"'","metadata":{"paymentMethod":"webframe",' ;;
    code) echo '"paymentType":"GPO","reference":"'"$1"'","metadata":{"paymentMethod":"qrcode",' ;;
    reference) echo '"paymentType":"PPR","metadata":{"referenceType":"Dynamic",' ;;
  esac
}

# The order's id is the idempotency key, so a retry returns the same payment.
create_payment() {
  local page="$SHOP/?order=$1"
  api POST /api/payments -H "Idempotency-Key: $1" -d '{"amount":1500,"currency":"AOA","description":"Café da Gabela",
    '"$(method_of "$1" "$2")"'"returnUrl":"'"$page"'","cancelUrl":"'"$page"'"}}'
}

# ---- finishing once ------------------------------------------------------------------------------------------------

# Callback, webhook, feed and return page call this. It trusts no report and reads the payment from the gateway.
finish() {
  local first=$1 payment other
  payment=$(api GET "/api/payments/$first")
  # A payment that replaced another one belongs to the order of the first.
  while other=$(field replaces <<<"$payment") && [ -n "$other" ]; do
    first=$other payment=$(api GET "/api/payments/$other")
  done
  while [ "$(field status <<<"$payment")" != Paid ] && other=$(field replacedBy <<<"$payment") && [ -n "$other" ]; do
    payment=$(api GET "/api/payments/$other")
  done
  # Only the first `mkdir` of a payment succeeds.
  if [ "$(field status <<<"$payment")" = Paid ] && mkdir "$DATA/finished/$first" 2>/dev/null; then
    echo "shipped: $first"
  fi
}

# ---- reports -------------------------------------------------------------------------------------------------------

hash_of() { printf %s "$1" | openssl dgst -sha256 -r; }

# is_our_callback <Access-Key>: succeeds if it is your key. A comparison of hashes takes the same time for any guess.
is_our_callback() { [ "$(hash_of "$1")" = "$(hash_of "$ACCESS_KEY")" ]; }

# is_our_webhook <webhook-id> <webhook-timestamp> <webhook-signature> <file of the body>
is_our_webhook() {
  local key signature
  key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
  signature=$({ printf '%s.%s.' "$1" "$2" && cat "$4"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
  # During a rotation the header has two signatures. A timestamp of more than five minutes ago is a replay.
  [[ " $3 " == *" v1,$signature "* ]] && [ $(($(date +%s) - $2)) -lt 300 ]
}

# Reads the events that the server missed, and moves the cursor after the work.
read_feed() {
  local page id
  page=$(api GET "/api/events?after=$(cat "$DATA/cursor" 2>/dev/null || echo 0)&limit=100")
  for id in $(grep -o '"internalId":"[^"]*"' <<<"$page" | cut -d '"' -f 4 | sort -u); do finish "$id"; done
  field next <<<"$page" >"$DATA/cursor"
}

"$@"
