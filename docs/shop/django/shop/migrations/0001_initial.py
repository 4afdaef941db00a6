from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name='Order',
            fields=[
                ('id', models.CharField(max_length=15, primary_key=True, serialize=False)),
                ('method', models.CharField(max_length=10)),
                ('payment_id', models.CharField(max_length=64, null=True, unique=True)),
                ('shipped', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='FinishedPayment',
            fields=[('payment_id', models.CharField(max_length=64, primary_key=True, serialize=False))],
        ),
        migrations.CreateModel(
            name='Feed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('cursor', models.CharField(default='0', max_length=64)),
            ],
        ),
    ]
