"""Drives the Python client: reads a question a line from standard input, and writes an answer a line."""
import json
import os
import re
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../../../packages/python/src'))
import balcao  # noqa: E402

client = None


def snake(name):
    return re.sub('[A-Z]', lambda letter: f'_{letter[0].lower()}', name)


def send(question):
    group, name = question['operation'].split('.')
    given = question.get('options', {})
    options = {'prefer': f"wait={given['waitS']}" if 'waitS' in given else None}
    options.update(idempotency_key=given.get('idempotencyKey'), if_match=given.get('ifMatch'))
    used = {key: value for key, value in options.items() if value is not None}
    return getattr(getattr(client, snake(group)), snake(name))(*question['arguments'], **used)


def new(question):
    global client
    options = [question.get(name) for name in ('url', 'clientId', 'clientSecret')]
    client = balcao.Balcao(*options, timeout=question.get('timeout', 30))
    return True


def call(question):
    result = send(question)
    return result.page if isinstance(result, balcao.Listing) else result


def verify_callback(question):
    callback = balcao.verify_callback(question['headers'], question['body'], question['accessKey'])
    return {
        'type': callback.type,
        'id': callback.id,
        'reference': callback.reference,
        'amount': callback.amount,
        'isTest': callback.is_test,
    }


def answer_callback(question):
    handler = question['handler']

    def run(_notification):
        if handler == 'throws':
            raise RuntimeError('the shop failed')
        return handler['returns']

    chosen = None if handler == 'missing' else run
    status, body = balcao.answer_notification(
        question['headers'],
        question['body'],
        access_key=question['accessKey'],
        webhook_secret=question.get('webhookSecret'),
        on_callback=chosen,
        on_event=chosen,
        on_error=lambda error: None,
    )
    return {'status': status, 'body': body}


def finish_once(question):
    connection = sqlite3.connect(os.path.join(question['store'], 'finished.sqlite'), timeout=30)
    store = balcao.DbApiStore(connection)
    store.create_table()

    def work(payment, _first_id):
        with open(question['work'], 'a') as file:
            file.write(f"{payment['internalId']}\n")
        if question.get('throws'):
            raise RuntimeError('the work failed')

    try:
        return client.finish_once(question['paymentId'], store, work)._asdict()
    finally:
        connection.close()


ANSWERS = {
    'new': new,
    'call': call,
    'all': lambda question: list(send(question)),
    'waitUntilPaid': lambda question: client.wait_until_paid(question['paymentId'], question['timeout']),
    'verifyCallback': verify_callback,
    'verifyWebhook': lambda question: balcao.verify_webhook(
        question['headers'], question['body'], question['secret']
    ),
    'answerCallback': answer_callback,
    'readFeed': lambda question: list(client.read_feed(question['after'])),
    'finishOnce': finish_once,
}


def answer(question):
    try:
        result = ANSWERS[question['do']](question)
        return {'result': result, 'etag': client.etag_of(result)}
    except balcao.Error as error:
        fields = {'code': error.code, 'status': error.status, 'message': str(error), 'pointers': error.pointers}
    except Exception as error:
        fields = {'code': '', 'status': 0, 'message': str(error), 'pointers': []}
    return {'error': fields}


for line in sys.stdin:
    asked = json.loads(line)
    outcome = {'id': asked['id'], **answer(asked)}
    print(json.dumps(outcome, default=repr), flush=True)
